"""Is the candidate better than the baseline, by how much, and how sure is that?

The unit of replication is the server launch (one run of one recipe over a list of loads). A block holds one
launch of each side, next to each other in time on the same host, so that drift of the host cancels. With
``s = +1`` for metrics where higher is better and ``-1`` for the others, a block gives ``d = s * ln(B / A)``;
the gain is ``exp(mean d) - 1`` with a t interval over blocks. Positive means better for every metric.

``compare.compare`` judges blocks against a declared ``plan.Plan``; ``unpaired.compare_sets`` judges two sets
of runs that were not measured in blocks, and never says more than "indicative".
Pure: no Django. Vocabulary, plan, blocks and sentences import without NumPy and SciPy.
"""

#: Stored with every verdict; a change of any rule in this package changes it.
ALGORITHM_VERSION = "gains-2"
