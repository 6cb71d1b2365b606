"""prover.py - counts what is proved, and prints what is not with its counterexample."""
# SPDX-License-Identifier: MIT
import time

import z3


class Prover:
    def __init__(self, timeout_s=60):
        self.begun, self.cases, self.failed, self.timeout_s = time.time(), 0, 0, timeout_s

    def fail(self, name, why):
        self.failed += 1
        print(f"  {name}: FAILS: {why}", flush=True)

    def check(self, name, holds, why="it does not"):
        self.cases += 1
        if not holds:
            self.fail(name, why)

    def prove(self, name, claim, *shown, given=()):
        """Proves the claim for all values; shown: the bit-vectors of a counterexample."""
        self.cases += 1
        solver = z3.Solver()
        solver.set("timeout", 1000 * self.timeout_s)
        solver.add(*given, z3.Not(claim))
        answer = solver.check()
        if answer == z3.sat:
            model = solver.model()
            values = ", ".join(f"{v} = {model.eval(v, model_completion=True).as_long():#x}" for v in shown)
            self.fail(name, f"not for {values}")
        elif answer != z3.unsat:
            self.fail(name, f"not decided within {self.timeout_s} s")

    def possible(self, name, condition, given=()):
        """What a proof takes for granted can be: else it would prove nothing."""
        self.cases += 1
        solver = z3.Solver()
        solver.set("timeout", 1000 * self.timeout_s)
        solver.add(*given, condition)
        if solver.check() != z3.sat:
            self.fail(name, "what is taken for granted cannot be")

    def end(self, proof):
        seconds = time.time() - self.begun
        if self.failed == 0:
            print(f"proof: {proof}: holds ({self.cases} cases, {seconds:.1f} s)")
        else:
            print(f"proof: {proof}: FAILED ({self.failed} of {self.cases} cases, {seconds:.1f} s)")
        return 1 if self.failed else 0
