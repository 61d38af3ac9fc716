/**
 * Makes `toEqual` compare binary data at once instead of each byte as a value. Importing
 * this file installs the comparison. It is not in the setup file, which a worker evaluates for each
 * test file: testers add up, and a module is evaluated once.
 */
import { expect } from "vitest";

function getBytes(value: unknown): Buffer | null {
	const isIntegers = value instanceof Uint8Array || value instanceof Int32Array || value instanceof Uint32Array;
	return isIntegers ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : null;
}

/** Returns undefined where `toEqual` must decide, which then also shows the difference. */
function haveEqualBytes(left: unknown, right: unknown): true | undefined {
	const [leftBytes, rightBytes] = [getBytes(left), getBytes(right)];
	if (leftBytes === null || rightBytes === null || left?.constructor !== right?.constructor) return undefined;
	return leftBytes.equals(rightBytes) ? true : undefined;
}

expect.addEqualityTesters([haveEqualBytes]);
