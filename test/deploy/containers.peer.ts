import { after, before, describe } from 'node:test'
import { composeTests } from './compose.ts'
import { Containers } from './containers.ts'
import { imageTests } from './image.ts'

/** Fetching and installing packages takes minutes on a busy machine. */
const patience = { timeout: 900_000 }

let containers: Containers
before(async () => {
  containers = await Containers.open()
}, patience)
after(() => containers[Symbol.asyncDispose](), patience)
const open = () => containers

describe('the image', patience, () => {
  before(() => containers.buildMailroom(), patience)
  imageTests(open)
})

describe('Compose', patience, () => {
  composeTests(open, patience, { up: false })
})
