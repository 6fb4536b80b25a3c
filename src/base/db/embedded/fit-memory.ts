import { totalmem } from 'node:os'
import { setFlagsFromString } from 'node:v8'

/** To optimize one function of PostgreSQL, its interpreter of expressions, V8 uses 600 MB for some seconds. */
const roomy = 1.5 * 2 ** 30

/** If this process may use less memory than that, keeps V8 from optimizing WebAssembly: queries take a quarter more CPU, and
 *  PostgreSQL a third of the memory. To be called before any is compiled. */
export function fitMemory(
  available = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem()),
): void {
  if (available >= roomy) return
  setFlagsFromString('--no-wasm-tier-up')
  setFlagsFromString('--no-wasm-dynamic-tiering')
}
