/** Forgets all history before the current revision. */
export async function compact(etcdUrl: string): Promise<void> {
  const anyKey = Buffer.from('\0').toString('base64')
  const { header } = await postToEtcd<{ header: { revision: string } }>(etcdUrl, 'range', { key: anyKey })
  await postToEtcd(etcdUrl, 'compaction', { revision: header.revision, physical: true })
}

async function postToEtcd<Answer>(etcdUrl: string, call: string, body: unknown): Promise<Answer> {
  const response = await fetch(`${etcdUrl}/v3/kv/${call}`, { method: 'POST', body: JSON.stringify(body) })
  if (!response.ok)
    throw new Error(`etcd answered '${call}' with ${response.status}: ${await response.text()}`)
  // The caller names the type that etcd documents for this call.
  return (await response.json()) as Answer
}
