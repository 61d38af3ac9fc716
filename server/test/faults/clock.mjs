/** Loaded into the processes of the fault tests before anything else: their clock is off by the milliseconds that the file FAULT_CLOCK says. */
import { readFileSync } from "node:fs";

const LOOK_MS = 50;
const now = Date.now;
let offset = 0;

function readOffset() {
	offset = Number(readFileSync(process.env.FAULT_CLOCK, "utf8")) || 0;
}

readOffset();
setInterval(readOffset, LOOK_MS).unref();
Date.now = () => now() + offset;
globalThis.Date = new Proxy(Date, {
	construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [Date.now()] : args, made),
});
