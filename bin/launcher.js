// Plain JavaScript that old versions of Node can read: it finds the Node that can run TypeScript.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { delimiter, dirname } from 'node:path'

/** The first that runs TypeScript without flags and has all that Mailroom uses. */
const needed = 24
/** What a process can be told to do. SIGKILL and SIGSTOP nobody can pass on. */
const signals = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR1', 'SIGUSR2']
const setpriv = '/usr/bin/setpriv'

export function isNewEnough() {
  return Number(process.versions.node.split('.')[0]) >= needed
}

/** Becomes Node with these arguments: this one if it is new enough, else the one that npm has brought. Never returns. */
export async function becomeNode(args) {
  const argv = [...process.execArgv, ...args]
  if (isNewEnough()) process.execve(process.execPath, [process.execPath, ...argv], process.env)
  const node = broughtNode()
  if (node === undefined) {
    process.stderr.write(
      `Mailroom needs Node ${needed} or later; this is ${process.version} (${process.execPath}).\n` +
        'On Linux (x64 and arm64) `npm ci` brings it, unless optional packages are left out; elsewhere, or where that one ' +
        'does not run, install it from https://nodejs.org.\n',
    )
    process.exit(1)
  }
  // What it starts by the name `node` is the same.
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` }
  // Node 22.15 and later.
  if (process.execve) process.execve(node, [node, ...argv], env)
  await runAsChild(node, argv, env)
}

/** By its package, since npm before version 11 does not link a program that two optional packages have, and `npm prune`
 *  takes the link away. */
function broughtNode() {
  try {
    const node = createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/bin/node`)
    return spawnSync(node, ['--version']).status === 0 ? node : undefined
  } catch {
    return undefined
  }
}

/** As if it had taken the place of this process, which Node before 22.15 cannot do: signals reach it, this process ends as
 *  it does, and it does not outlive this one. */
function runAsChild(node, argv, env) {
  const command = [...(existsSync(setpriv) ? [setpriv, '--pdeathsig', 'KILL'] : []), node, ...argv]
  const child = spawn(command[0], command.slice(1), { stdio: 'inherit', env })
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  return new Promise((_, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (signal === null) process.exit(code)
      process.removeAllListeners(signal)
      process.kill(process.pid, signal)
      // Some signals mean something else to Node.
      process.exit(128 + constants.signals[signal])
    })
  })
}
