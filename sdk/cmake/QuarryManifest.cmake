# Runs after a plugin is linked: compresses MODULE to FILE, if that is "*.zst", and writes its
# manifest with the digest of FILE.
if(FILE MATCHES "[.]zst$")
  file(ARCHIVE_CREATE OUTPUT ${FILE} PATHS ${MODULE} FORMAT raw COMPRESSION Zstd COMPRESSION_LEVEL 9)
endif()
file(SHA256 ${FILE} digest)
file(READ ${TEMPLATE} text)
string(REPLACE "@SHA256@" "${digest}" text "${text}")
file(WRITE ${OUTPUT} "${text}")
