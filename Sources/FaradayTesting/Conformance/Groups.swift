extension AdapterConformance {
  /// All groups of rules. To add a group, add a file and a line here.
  static let groups: [ConformanceGroup] = [
    .methods, .headers, .responseHeaders, .targets, .requestBodies, .streamedUploads, .invalidBodies, .expectContinue,
    .expectationFailed, .duplex, .buffered, .streamedDownloads, .chunkCallback, .unmergedChunks, .chunkTiming,
    .headCallback, .uploadProgress, .downloadProgress, .compression, .encodedBodies, .informational, .trailers,
    .idleTimeout, .movingBytes, .totalTimeout, .connectTimeout, .timeoutExtremes, .cancellation, .malformedResponses,
    .statusLines, .headlessResponses, .bodyFraming, .chunkFraming, .resets(over: .plain), .statuses, .connectionReuse,
    .lastRequests,
    .cleanConnections(over: .plain), .concurrency, .errors, .backpressure, .metrics, .dyingConnections, .queueing, .requestsApart,
    .earlyAnswers, .handshakes, .unansweredExpect, .largeBodies, .requestsFromCallbacks,
    .localhost, .addresses, .addressPolicies, .proxies, .authenticating, .pacing,
    .tracing, .upgrades, .requestForms, .lookupsApart, .givenAddresses, .sharedConnections,
  ]
}
