/* Saves a figure as a picture that still says what it shows: title, legend, date, versions, known issues. */

const LETTER = 6.2;
const KEY = 58;
const LINE = 16;

/** Lines no longer than the picture is wide; words are never cut. */
function wrapped(text, letters) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.length - 1;
    if (lines[last] && lines[last].length + word.length >= letters) lines.push(word);
    else lines[last] += lines[last] ? ` ${word}` : word;
  }
  return lines;
}

/** One key per name, drawn with mark and line together. */
function keys(data) {
  const named = new Map();
  for (const trace of data) if (trace.name && !named.has(trace.name)) named.set(trace.name, trace);
  return [...named.values()].map(({ name, marker, line, meta, mode }) => {
    const dash = line?.dash ?? meta?.dash;
    const marks = marker && mode !== "lines";
    return {
      type: "scatter",
      mode: marks ? (dash ? "lines+markers" : "markers") : "lines",
      x: [null],
      y: [null],
      name,
      line: { width: 2, dash: dash ?? "solid", color: line?.color ?? marker?.color },
      ...(marks ? { marker: { symbol: [marker.symbol].flat()[0], size: 10, color: marker.color, line: marker.line } } : {}),
      showlegend: true,
      hoverinfo: "skip",
    };
  });
}

/** Rows that the keys take in a legend of this width. */
function rows(entries, width) {
  const widest = Math.max(...entries.map((entry) => KEY + entry.name.length * LETTER), 1);
  return Math.ceil(entries.length / Math.max(1, Math.floor(width / widest)));
}

/** Above everything: the title, then the lines, each at its own height. */
function heads(lines, title, font) {
  const texts = [title, ...lines];
  return texts.map((text, place) => ({
    xref: "paper",
    yref: "paper",
    x: 0,
    y: 1,
    xanchor: "left",
    yanchor: "bottom",
    align: "left",
    showarrow: false,
    text,
    yshift: 26 + (texts.length - 1 - place) * LINE,
    font: { ...font, size: place ? 11 : 15 },
  }));
}

/** ``caption`` holds a title and lines of text; ``chart`` is the element that the figure is drawn in. */
export async function savePicture({ chart, data, layout, caption, format, name }) {
  const box = chart.getBoundingClientRect();
  const width = Math.round(Math.max(box.width, 640));
  const lines = caption.lines.flatMap((line) => wrapped(line, (width - 96) / LETTER));
  const entries = keys(data);
  const margin = { l: 72, r: 24, t: 60 + lines.length * LINE, b: 64 + rows(entries, width - 80) * 20 };
  const font = { family: layout.font.family, color: layout.hoverlabel.font.color };
  const own = Object.fromEntries(Object.entries(layout).filter(([key]) => !["width", "height", "uirevision"].includes(key)));
  const figure = {
    data: [...data.map((trace) => ({ ...trace, showlegend: false })), ...entries],
    layout: {
      ...own,
      margin,
      annotations: [...(layout.annotations ?? []), ...heads(lines, caption.title, font)],
      showlegend: entries.length > 0,
      legend: { orientation: "h", x: 0, xanchor: "left", yref: "container", y: 0.005, yanchor: "bottom", font: { ...font, size: 12 } },
    },
  };
  const height = Math.round(box.height + margin.t + margin.b - 72);
  const link = document.createElement("a");
  link.href = await window.Plotly.toImage(figure, { format, width, height, scale: format === "png" ? 2 : 1 });
  link.download = `northstar-${name}.${format}`;
  link.click();
}
