/* test_textbook.cpp - textbook forms on a GPU by themselves, beside plain serial methods: the
 * vector merge sort with pieces of any length, the butterfly. */
/* SPDX-License-Identifier: MIT */
#include "gpu/textbook/vmerge_tuning.cuh"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

extern "C" {
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

extern const usw_gpu_reduce_form usw_reduce_butterfly_cuda;
}

static std::mt19937_64 random_numbers(1);

static usw_gpu *opened()
{
    usw_gpu *g;
    char error[256];
    assert_int_equal(usw_gpu_open(&g, 0, 0, error, sizeof error), UPSWEEP_OK);
    return g;
}

template <typename T> static T *on_device(const std::vector<T> &v)
{
    T *p;
    assert_int_equal(cudaMalloc(&p, v.size() * sizeof(T) + 1), cudaSuccess);
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    return p;
}

template <typename T> static void take_back(T *p, std::vector<T> *v)
{
    cudaMemcpy(v->data(), p, v->size() * sizeof(T), cudaMemcpyDeviceToHost);
    assert_int_equal(cudaFree(p), cudaSuccess);
}

/* ---- vector merge sort ---- */

static void count_pass(void *context, size_t)
{
    ++*static_cast<size_t *>(context);
}

static void test_pieces(void **)
{
    for (size_t piece : {size_t(4), size_t(8), size_t(64), size_t(1024), SIZE_MAX}) {
        for (size_t n : {1, 4, 5, 63, 64, 65, 1000, 4096, 5001}) {
            std::vector<uint16_t> keys(n), sorted;
            std::generate(keys.begin(), keys.end(), [] {
                return static_cast<uint16_t>(random_numbers() % 3 == 0 ? 65535 : random_numbers());
            });
            sorted = keys;
            std::sort(sorted.begin(), sorted.end());
            usw_gpu *g = opened();
            uint16_t *at = on_device(keys);
            const usw_gpu_sort s = {at, n, 1, {16, 0, 0, 0}, 0, 16, false, false, nullptr};
            size_t passes = 0;
            usw_gpu_fault_found fault;
            usw_gpu_begin(g, false);
            assert_int_equal(usw_vmerge_tuned(g, &s, {piece, count_pass, &passes}), UPSWEEP_OK);
            usw_gpu_end(g);
            assert_int_equal(usw_gpu_wait(g, &fault), UPSWEEP_OK);
            take_back(at, &keys);
            assert_true(keys == sorted);
            size_t expected = 1;
            for (size_t list = 4; list < n; list *= 2) {
                expected++;
            }
            assert_int_equal(passes, expected);
            usw_gpu_close(g);
        }
    }
}

/* ---- butterfly ---- */

/* The order of additions of docs/order.md, in plain loops. */
static double sum_in_order(const std::vector<float> &x)
{
    enum { TILE = 4096, LANES = 128, FANOUT = 64, LEVELS = 4 };
    double total[LEVELS] = {}, carry = 0;
    unsigned count[LEVELS] = {};
    for (size_t tile = 0; tile * TILE < x.size(); tile++) {
        double lane[LANES] = {};
        for (size_t i = tile * TILE; i < x.size() && i < (tile + 1) * TILE; i++) {
            lane[i % LANES] += static_cast<double>(x[i]);
        }
        for (unsigned distance = LANES / 2; distance > 0; distance /= 2) {
            for (unsigned j = 0; j < distance; j++) {
                lane[j] += lane[j + distance];
            }
        }
        double sum = lane[0];
        for (unsigned l = 0; l < LEVELS; l++) {
            total[l] += sum;
            if (++count[l] < FANOUT) {
                break;
            }
            sum = total[l];
            count[l] = 0;
            total[l] = 0;
        }
    }
    for (unsigned l = LEVELS; l-- > 0;) {
        carry += total[l];
    }
    return carry;
}

static void test_butterfly(void **)
{
    const usw_keymap map = usw_keymap_of(UPSWEEP_F32, 0);
    for (size_t n : {1, 2, 33, 127, 128, 129, 4095, 4096, 4097, 262144, 262145, 270001}) {
        std::vector<float> x(n);
        std::generate(x.begin(), x.end(), [] {
            const int power = static_cast<int>(random_numbers() % 60) - 30;
            return std::ldexp(static_cast<float>(random_numbers() % 2001) - 1000, power);
        });
        std::vector<double> sum(1);
        std::vector<uint64_t> found(2);
        usw_gpu *g = opened();
        float *at = on_device(x);
        double *sum_at = on_device(sum);
        uint64_t *found_at = on_device(found);
        usw_gpu_fault_found fault;
        usw_gpu_begin(g, false);
        assert_int_equal(usw_reduce_butterfly_cuda.reduce(g, at, n, UPSWEEP_F32, UPSWEEP_SUM,
                                                          UPSWEEP_F64, false, sum_at),
                         UPSWEEP_OK);
        assert_int_equal(usw_reduce_butterfly_cuda.least(g, at, n, &map, 1, found_at, found_at + 1),
                         UPSWEEP_OK);
        usw_gpu_end(g);
        assert_int_equal(usw_gpu_wait(g, &fault), UPSWEEP_OK);
        cudaFree(at);
        take_back(sum_at, &sum);
        take_back(found_at, &found);
        usw_gpu_close(g);
        const double expected = sum_in_order(x);
        assert_memory_equal(sum.data(), &expected, sizeof expected);
        const size_t least = static_cast<size_t>(std::min_element(x.begin(), x.end()) - x.begin());
        uint32_t bits;
        memcpy(&bits, &x[least], sizeof bits);
        assert_int_equal(found[0], usw_map_key(&map, bits));
        assert_int_equal(found[1], least);
    }
}

/* The butterfly's result of op over the elements, as its 64 bits. */
template <typename T>
static uint64_t butterfly_of(const std::vector<T> &x, upsweep_type type, upsweep_op op)
{
    std::vector<uint64_t> result(1, 0);
    usw_gpu *g = opened();
    T *at = on_device(x);
    uint64_t *result_at = on_device(result);
    usw_gpu_fault_found fault;
    usw_gpu_begin(g, false);
    assert_int_equal(
        usw_reduce_butterfly_cuda.reduce(g, at, x.size(), type, op, UPSWEEP_F64, false, result_at),
        UPSWEEP_OK);
    usw_gpu_end(g);
    assert_int_equal(usw_gpu_wait(g, &fault), UPSWEEP_OK);
    cudaFree(at);
    take_back(result_at, &result);
    usw_gpu_close(g);
    return result[0];
}

/* Integers, and products of powers of two that stay small, are the same in any order. */
static void test_butterfly_exact(void **)
{
    for (size_t n : {1, 129, 4097, 270001}) {
        std::vector<int16_t> x(n);
        std::vector<float> powers(n);
        uint64_t sum = 0, product = 1;
        uint16_t all = 0xffff, any = 0, odd = 0;
        double power = 1;
        for (size_t i = 0; i < n; i++) {
            x[i] = static_cast<int16_t>(random_numbers() | 1);
            powers[i] = i / 128 % 2 == 0 ? 2.0f : -0.5f;
            sum += static_cast<uint64_t>(int64_t(x[i]));
            product *= static_cast<uint64_t>(int64_t(x[i]));
            all = static_cast<uint16_t>(all & x[i]);
            any = static_cast<uint16_t>(any | x[i]);
            odd = static_cast<uint16_t>(odd ^ x[i]);
            power *= static_cast<double>(powers[i]);
        }
        uint64_t bits;
        memcpy(&bits, &power, sizeof bits);
        assert_true(butterfly_of(x, UPSWEEP_I16, UPSWEEP_SUM) == sum);
        assert_true(butterfly_of(x, UPSWEEP_I16, UPSWEEP_PRODUCT) == product);
        assert_true(butterfly_of(x, UPSWEEP_I16, UPSWEEP_AND) == all);
        assert_true(butterfly_of(x, UPSWEEP_I16, UPSWEEP_OR) == any);
        assert_true(butterfly_of(x, UPSWEEP_I16, UPSWEEP_XOR) == odd);
        assert_true(butterfly_of(powers, UPSWEEP_F32, UPSWEEP_PRODUCT) == bits);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pieces),
                                       cmocka_unit_test(test_butterfly),
                                       cmocka_unit_test(test_butterfly_exact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
