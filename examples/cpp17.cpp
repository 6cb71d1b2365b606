// cpp17.cpp - the same library from C++: containers and iterators, results by value, errors as
// exceptions, nothing to close.
//
//     c++ -std=c++17 cpp17.cpp $(pkg-config --cflags --libs upsweep) -o cpp17
//
// Prints:
//     sorted:  1 1 2 3 4 5 6 9
//     order:   5 7 4 2 0 6 1 3
//     sums:    1 2 4 7 11 16 22 31
//     by name: Ada 36, Alan 41, Alan 27
//     refused: nth_element: k is 9, but n is 8
// SPDX-License-Identifier: MIT
#include <iostream>
#include <upsweep.hpp>

struct person {
    char name[8];
    int age;
};

template <class R> static void print(const char *what, const R &numbers)
{
    std::cout << what;
    for (auto x : numbers) {
        std::cout << ' ' << x;
    }
    std::cout << '\n';
}

int main()
{
    usw::handle u("cpu"); // closed at the end of the scope
    const std::vector<float> x = {3, 1, 4, 1, 5, 9, 2, 6};

    std::vector<float> sorted = x;
    usw::sort(u, sorted); // also: sorted.begin(), sorted.end()
    print("sorted: ", sorted);
    print("order:  ", usw::argsort(u, x, usw::descending));

    std::vector<float> sums(x.size());
    usw::inclusive_scan(u, sorted, sums);
    print("sums:   ", sums);

    // By members of a structure, the first the most important.
    std::vector<person> people = {{"Alan", 27}, {"Ada", 36}, {"Alan", 41}};
    usw::sort_records(u, people, &person::name, usw::key(&person::age, usw::descending));
    std::cout << "by name: ";
    for (std::size_t i = 0; i < people.size(); i++) {
        std::cout << (i > 0 ? ", " : "") << people[i].name << ' ' << people[i].age;
    }
    std::cout << '\n';

    // What goes wrong is thrown, with the library's sentence.
    try {
        usw::nth_element(u, sorted, 9);
    } catch (const usw::error &e) {
        std::cout << "refused: " << e.what() << '\n';
    }
}
