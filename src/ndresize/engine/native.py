"""temporary"""
from ndresize.engine import portable
def compile_plan(plan): return 1
def run(plan, program, x, out, threads): out[...] = portable.run(plan, x)
