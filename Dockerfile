# One image for web, worker and sweeper. Engines and the client are installed by the worker into /data on first use.
FROM python:3.12-slim-bookworm
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 NORTHSTAR_VAR=/data
WORKDIR /app
COPY requirements/runtime.txt requirements/
RUN python -m pip install --no-deps --require-hashes -r requirements/runtime.txt
COPY manage.py ./
COPY dashboard dashboard
COPY results results
COPY workers workers
COPY templates templates
COPY static static
COPY locale locale
COPY docs docs
RUN useradd --uid 10001 --create-home northstar && install -d -o northstar -g northstar /data
USER northstar
VOLUME /data
EXPOSE 8000
CMD ["python", "-m", "gunicorn", "dashboard.wsgi:application", "--bind=0.0.0.0:8000", "--threads=8", "--no-control-socket"]
