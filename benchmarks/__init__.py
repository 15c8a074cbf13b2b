"""Timings of ndresize beside other libraries: ``python -m benchmarks``.

``workloads`` is the table, ``peers`` says each task in a library's own words, ``agreement`` checks
that all computed the same thing, ``timing`` measures, ``results`` keeps what came out.
"""
