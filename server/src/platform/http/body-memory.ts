/**
 * Memory of large bodies that is used again. Each would otherwise be new: 10 MB that the system has to clear page by page, and that count towards a
 * collection of the whole heap, which every request waits for. It is shared: a thread that was handed 8 MB of its own would collect its whole heap for
 * them each time, and with it lose the code that was compiled for what it does.
 */

/** Closed: what is handed over to it is freed. */
const { port1: nowhere } = new MessageChannel();
nowhere.close();

/** Bytes that are not worth it. */
const FEW_BYTES = 16 * 1024;

/** Frees the memory of bytes that nobody else has a view of, now and not at the next collection; the bytes are empty from now on. */
export function letGo({ buffer, byteLength }: Uint8Array): void {
	if (byteLength < FEW_BYTES || byteLength < buffer.byteLength || !(buffer instanceof ArrayBuffer)) return;
	nowhere.postMessage(null, [buffer]);
}

export interface BodyMemory {
	/** At least so many bytes; what is in them is undefined. */
	take(bytes: number): Buffer;
	/** Takes back the memory of bytes that nobody reads any more: what comes into it next would be seen by who still did. */
	give(bytes: Uint8Array): void;
}

/** Of what is kept together, and of the smallest worth it. */
const KEPT_BYTES = 32 * 1024 * 1024;
const LARGE_BYTES = 256 * 1024;
/** Room for the next body to be a little larger. */
const ROOM = 1.125;
/** The engine does not know of shared memory: beyond this, bodies have memory of their own until it has collected what nobody gave back. */
const SHARED_BYTES = 96 * 1024 * 1024;
/** Memory of more times what is asked for is not used for it. */
const MOST = 1.5;
/** After which nothing is kept, unless more was given meanwhile. */
const IDLE_MS = 10_000;

export function createBodyMemory(): BodyMemory {
	let kept: SharedArrayBuffer[] = [];
	let timer: NodeJS.Timeout | undefined;
	let shared = 0;
	const collected = new FinalizationRegistry<number>((bytes) => {
		shared -= bytes;
	});

	function make(bytes: number): Buffer {
		if (shared + bytes > SHARED_BYTES) return Buffer.allocUnsafeSlow(bytes);
		const memory = new SharedArrayBuffer(bytes);
		shared += bytes;
		collected.register(memory, bytes);
		return Buffer.from(memory);
	}

	return {
		take(bytes) {
			if (bytes < LARGE_BYTES) return Buffer.allocUnsafeSlow(bytes);
			const at = kept.findIndex(({ byteLength }) => byteLength >= bytes && byteLength <= bytes * MOST);
			const [memory] = at < 0 ? [] : kept.splice(at, 1);
			return memory === undefined ? make(Math.ceil(bytes * ROOM)) : Buffer.from(memory);
		},
		give({ buffer }) {
			if (!(buffer instanceof SharedArrayBuffer) || kept.includes(buffer)) return;
			kept.unshift(buffer);
			let held = 0;
			kept = kept.filter(({ byteLength }) => {
				held += byteLength;
				return held <= KEPT_BYTES;
			});
			clearTimeout(timer);
			timer = setTimeout(() => {
				kept = [];
			}, IDLE_MS);
			timer.unref();
		},
	};
}
