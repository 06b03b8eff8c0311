# Runs after a plugin is linked: writes its manifest with the digest of the file.
file(SHA256 ${MODULE} digest)
file(READ ${TEMPLATE} text)
string(REPLACE "@SHA256@" "${digest}" text "${text}")
file(WRITE ${OUTPUT} "${text}")
