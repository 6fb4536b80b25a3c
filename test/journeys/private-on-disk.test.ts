import { privateOnDisk } from '../private-on-disk.ts'

privateOnDisk()
