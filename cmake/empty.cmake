# empty.cmake - makes DIR an empty directory.
file(REMOVE_RECURSE ${DIR})
file(MAKE_DIRECTORY ${DIR})
