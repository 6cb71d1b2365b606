"""The recipe for conan 2, of the tree that it lies in: conan create packaging/conan. For conan-center
the sources come from a release archive in source() instead of export_sources()."""
# SPDX-License-Identifier: MIT
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

FOLDERS = ("algo", "app", "calls", "cmake", "core", "cpu", "docs", "external", "include", "io",
           "python", "ranks", "site", "view")


class Upsweep(ConanFile):
    name = "upsweep"
    description = "Data-parallel sort, scan, reduce and split of plain arrays, by one plain C call"
    license = "MIT"
    topics = ("sort", "scan", "reduce", "shortest-path", "simd", "parallel")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "program": [True, False],
               "portable": [True, False]}
    default_options = {"shared": False, "fPIC": True, "program": False, "portable": False}
    implements = ["auto_shared_fpic"]

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "../../include/upsweep.h"))
        self.version = re.search(r'UPSWEEP_VERSION_TEXT "([^"]+)"', header).group(1)

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "../..")
        for pattern in ("CMakeLists.txt", "LICENSE", "*.md"):
            copy(self, pattern, root, self.export_sources_folder, excludes="*/*")
        for folder in FOLDERS:
            copy(self, "*", os.path.join(root, folder), os.path.join(self.export_sources_folder, folder))

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update({
            "UPSWEEP_BOTH": False, "UPSWEEP_CUDA": "OFF", "UPSWEEP_MPI": "OFF", "UPSWEEP_VIEW": False,
            "UPSWEEP_PROGRAM": bool(self.options.program),
            "UPSWEEP_PORTABLE": bool(self.options.portable)})
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        for folder in ("lib/cmake", "lib/pkgconfig", "share/doc"):
            rmdir(self, os.path.join(self.package_folder, folder))

    def package_info(self):
        self.cpp_info.libs = ["upsweep"]
        self.cpp_info.system_libs = ["m", "dl", "pthread"]
        self.cpp_info.set_property("cmake_target_name", "upsweep::upsweep")
        self.cpp_info.set_property("pkg_config_name", "upsweep")
