#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The functions of OpenSSL that a server needs, from the library that the system has: no dependency, and nothing to build.
struct OpenSSL: Sendable {
  typealias Pointer = UnsafeMutableRawPointer
  /// The callback that selects one of the protocols that a client offers.
  typealias ChooseProtocol =
    @convention(c) (
      Pointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?, UnsafePointer<UInt8>?, UInt32,
      Pointer?
    ) -> Int32

  static let shared = Result { try OpenSSL() }

  let serverMethod: @convention(c) () -> Pointer?
  let newContext: @convention(c) (Pointer?) -> Pointer?
  let freeContext: @convention(c) (Pointer?) -> Void
  let useCertificate: @convention(c) (Pointer?, UnsafePointer<CChar>?) -> Int32
  let useKey: @convention(c) (Pointer?, UnsafePointer<CChar>?, Int32) -> Int32
  let setProtocolChoice: @convention(c) (Pointer?, ChooseProtocol?, Pointer?) -> Void
  let newSession: @convention(c) (Pointer?) -> Pointer?
  let freeSession: @convention(c) (Pointer?) -> Void
  let setBuffers: @convention(c) (Pointer?, Pointer?, Pointer?) -> Void
  let accept: @convention(c) (Pointer?) -> Int32
  let read: @convention(c) (Pointer?, Pointer?, Int32) -> Int32
  let write: @convention(c) (Pointer?, UnsafeRawPointer?, Int32) -> Int32
  let shutdown: @convention(c) (Pointer?) -> Int32
  let error: @convention(c) (Pointer?, Int32) -> Int32
  let clearErrors: @convention(c) () -> Void
  let memoryMethod: @convention(c) () -> Pointer?
  let newBuffer: @convention(c) (Pointer?) -> Pointer?
  let readBuffer: @convention(c) (Pointer?, Pointer?, Int32) -> Int32
  let writeBuffer: @convention(c) (Pointer?, UnsafeRawPointer?, Int32) -> Int32

  let useLoadedCertificate: @convention(c) (Pointer?, Pointer?) -> Int32
  let useLoadedKey: @convention(c) (Pointer?, Pointer?) -> Int32
  let setVerification: @convention(c) (Pointer?, Int32, Pointer?) -> Void
  let certificateStore: @convention(c) (Pointer?) -> Pointer?
  let addToStore: @convention(c) (Pointer?, Pointer?) -> Int32

  let newKeyContext: @convention(c) (Int32, Pointer?) -> Pointer?
  let freeKeyContext: @convention(c) (Pointer?) -> Void
  let prepareKey: @convention(c) (Pointer?) -> Int32
  let controlKey: @convention(c) (Pointer?, Int32, Int32, Int32, Int32, Pointer?) -> Int32
  let makeKey: @convention(c) (Pointer?, UnsafeMutablePointer<Pointer?>?) -> Int32
  let freeKey: @convention(c) (Pointer?) -> Void
  let newCertificate: @convention(c) () -> Pointer?
  let freeCertificate: @convention(c) (Pointer?) -> Void
  let setVersion: @convention(c) (Pointer?, Int) -> Int32
  let serialNumber: @convention(c) (Pointer?) -> Pointer?
  let setInteger: @convention(c) (Pointer?, Int) -> Int32
  let notBefore: @convention(c) (Pointer?) -> Pointer?
  let notAfter: @convention(c) (Pointer?) -> Pointer?
  let setTimeFromNow: @convention(c) (Pointer?, Int) -> Pointer?
  let subject: @convention(c) (Pointer?) -> Pointer?
  let addEntry: @convention(c) (Pointer?, UnsafePointer<CChar>?, Int32, UnsafePointer<UInt8>?, Int32, Int32, Int32) -> Int32
  let setIssuer: @convention(c) (Pointer?, Pointer?) -> Int32
  let setKey: @convention(c) (Pointer?, Pointer?) -> Int32
  let setExtensionContext: @convention(c) (Pointer?, Pointer?, Pointer?, Pointer?, Pointer?, Int32) -> Void
  let newExtension: @convention(c) (Pointer?, Pointer?, Int32, UnsafePointer<CChar>?) -> Pointer?
  let addExtension: @convention(c) (Pointer?, Pointer?, Int32) -> Int32
  let freeExtension: @convention(c) (Pointer?) -> Void
  let sha256: @convention(c) () -> Pointer?
  let sign: @convention(c) (Pointer?, Pointer?, Pointer?) -> Int32
  let writeCertificate: @convention(c) (Pointer?, Pointer?) -> Int32
  let writeKey: @convention(c) (Pointer?, Pointer?, Pointer?, Pointer?, Int32, Pointer?, Pointer?) -> Int32
  let freeBuffer: @convention(c) (Pointer?) -> Int32

  private static let names = [
    "libssl.so.3", "libssl.so.1.1", "libssl.so", "/opt/homebrew/opt/openssl@3/lib/libssl.dylib",
    "/usr/local/opt/openssl@3/lib/libssl.dylib",
  ]

  private init() throws {
    guard let library = Self.names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else {
      throw MockError(unavailable: "there is no \(Self.names[0])")
    }
    // Functions of libcrypto are found too: libssl depends on it.
    func function<Function>(_ name: String) throws -> Function {
      guard let address = dlsym(library, name) else {
        throw MockError(unavailable: "OpenSSL has no \(name)")
      }
      return unsafeBitCast(address, to: Function.self)
    }
    serverMethod = try function("TLS_server_method")
    newContext = try function("SSL_CTX_new")
    freeContext = try function("SSL_CTX_free")
    useCertificate = try function("SSL_CTX_use_certificate_chain_file")
    useKey = try function("SSL_CTX_use_PrivateKey_file")
    setProtocolChoice = try function("SSL_CTX_set_alpn_select_cb")
    newSession = try function("SSL_new")
    freeSession = try function("SSL_free")
    setBuffers = try function("SSL_set_bio")
    accept = try function("SSL_accept")
    read = try function("SSL_read")
    write = try function("SSL_write")
    shutdown = try function("SSL_shutdown")
    error = try function("SSL_get_error")
    clearErrors = try function("ERR_clear_error")
    memoryMethod = try function("BIO_s_mem")
    newBuffer = try function("BIO_new")
    readBuffer = try function("BIO_read")
    writeBuffer = try function("BIO_write")
    freeBuffer = try function("BIO_free")
    useLoadedCertificate = try function("SSL_CTX_use_certificate")
    useLoadedKey = try function("SSL_CTX_use_PrivateKey")
    setVerification = try function("SSL_CTX_set_verify")
    certificateStore = try function("SSL_CTX_get_cert_store")
    addToStore = try function("X509_STORE_add_cert")
    newKeyContext = try function("EVP_PKEY_CTX_new_id")
    freeKeyContext = try function("EVP_PKEY_CTX_free")
    prepareKey = try function("EVP_PKEY_keygen_init")
    controlKey = try function("EVP_PKEY_CTX_ctrl")
    makeKey = try function("EVP_PKEY_keygen")
    freeKey = try function("EVP_PKEY_free")
    newCertificate = try function("X509_new")
    freeCertificate = try function("X509_free")
    setVersion = try function("X509_set_version")
    serialNumber = try function("X509_get_serialNumber")
    setInteger = try function("ASN1_INTEGER_set")
    notBefore = try function("X509_getm_notBefore")
    notAfter = try function("X509_getm_notAfter")
    setTimeFromNow = try function("X509_gmtime_adj")
    subject = try function("X509_get_subject_name")
    addEntry = try function("X509_NAME_add_entry_by_txt")
    setIssuer = try function("X509_set_issuer_name")
    setKey = try function("X509_set_pubkey")
    setExtensionContext = try function("X509V3_set_ctx")
    newExtension = try function("X509V3_EXT_conf_nid")
    addExtension = try function("X509_add_ext")
    freeExtension = try function("X509_EXTENSION_free")
    sha256 = try function("EVP_sha256")
    sign = try function("X509_sign")
    writeCertificate = try function("PEM_write_bio_X509")
    writeKey = try function("PEM_write_bio_PrivateKey")
  }
}
