// Comes before each file of tests: properties try the same values in every run with the same `--seed` (CONTRIBUTING.md).

import './test-context.ts'
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env.TEST_SEED) })
