# zig's linker makes no bundles. A dynamic library is loaded as well.
set(CMAKE_SHARED_MODULE_CREATE_C_FLAGS "-shared -Wl,-undefined,dynamic_lookup")
