# empty.cmake - makes DIR an empty directory.
# SPDX-License-Identifier: MIT
file(REMOVE_RECURSE ${DIR})
file(MAKE_DIRECTORY ${DIR})
