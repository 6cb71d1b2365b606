# install.cmake - what `make install` lays down.
