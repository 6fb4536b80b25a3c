import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Root reads everything; the service runs as somebody else, whose data directory it is. In a process of its own, since
 *  it gives its rights up for good. With the groups of that user, where it has an entry in the system's list. */
const script = `
const [uid, gid, ...paths] = JSON.parse(process.argv[1])
try { process.initgroups(uid, gid) } catch { process.setgroups([gid]) }
process.setgid(gid)
process.setuid(uid)
const refused = paths.find((path) => {
  try { fs.closeSync(fs.openSync(path)) } catch (error) { return error.code === 'EACCES' }
})
let user = String(uid)
try { user = os.userInfo().username } catch {}
console.log(JSON.stringify(refused === undefined ? null : { path: refused, user }))
`

/** The first of the files that the owner of the data directory may not read, whom root asks for. Undefined where there is
 *  none, where the caller is not root, or where nobody knows who the owner is. */
export async function refusedToOwner(
  paths: readonly string[],
  dataDir: string,
): Promise<{ path: string; user: string } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const owner = await stat(dataDir).catch(() => undefined)
  if (!owner || owner.uid === 0) return undefined
  const { stdout } = await run(process.execPath, ['-e', script, JSON.stringify([owner.uid, owner.gid, ...paths])])
  return JSON.parse(stdout) ?? undefined
}
