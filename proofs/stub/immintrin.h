/* Nothing: proofs read the names of vector instructions, not their definitions in a compiler. */
/* SPDX-License-Identifier: MIT */
