/// The client, the session and the writer of changes, which all namespaces of a connection share.
final class ClusterConnection: Sendable {
  let client: EtcdClient
  let session: ClusterSession
  let committer: Committer

  init(client: EtcdClient, root: Namespace) {
    self.client = client
    session = ClusterSession(client: client, prefix: root.path)
    committer = Committer(client: client, session: session)
  }

  var options: ClusterOptions { client.options }
}
