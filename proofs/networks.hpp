/* networks.hpp - the proofs of networks, one function a family. */
/* SPDX-License-Identifier: MIT */
#ifndef PROOFS_NETWORKS_HPP
#define PROOFS_NETWORKS_HPP

#include "proofs/circuit.hpp"
#include "core/routes.h"

void prove_vector_sorts(Proof *p);       /* networks.cpp */
void prove_plain_networks(Proof *p);     /* networks_plain.cpp */
void prove_cuda_networks(Proof *p);      /* networks_cuda.cpp */
void prove_explained_networks(Proof *p); /* networks_explained.cpp */

#endif
