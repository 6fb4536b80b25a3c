import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Root can read everything, but the service runs as the owner of its data directory. A child process becomes that user for
 *  good, with the user's groups if it has an entry in the system's list. */
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

/** The first file that the owner of the data directory may not read. Undefined if there is none, if the caller is not root,
 *  or if the owner is unknown. */
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
