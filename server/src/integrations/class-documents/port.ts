/** Sources of class model documents: the vendor's publishing site, a folder, or a controller. */
import type { ControllerTarget } from "../apic/port.ts";

/** A version that can be imported. */
export interface SourceVersion {
	/** `611` for 6.1(1); part of the documents' addresses. */
	readonly key: string;
	readonly label: string;
	/** Base address before `/media/…`. */
	readonly url: string;
	/** Keys that are tried in this order for a class that the version does not publish. */
	readonly fallbackChain: readonly string[];
	/** About how many classes it has. */
	readonly classCount: number;
	readonly notes: string;
}

export type ModelOrigin =
	/** The version first, then its fallbacks. */
	| { readonly kind: "remote"; readonly chain: readonly Pick<SourceVersion, "key" | "url">[] }
	| { readonly kind: "folder"; readonly path: string; readonly chain: readonly string[] }
	| { readonly kind: "controller"; readonly target: ControllerTarget };

export type Encoding = "identity" | "gzip" | "deflate" | "br";

interface Attempt {
	/** Keys that were asked for, in order. */
	readonly attempted: readonly string[];
	/** Of the last answer; null where there was none. */
	readonly status: number | null;
	/** Requests beyond one per key. */
	readonly retries: number;
}

export type Fetched =
	| (Attempt & { readonly kind: "found"; readonly key: string; readonly body: Uint8Array; readonly encoding: Encoding })
	/** No version of the chain has it. */
	| (Attempt & { readonly kind: "missing" })
	| (Attempt & { readonly kind: "failed"; readonly message: string });

/** The source is unusable: an unreadable folder, or a controller that refuses the login. */
export class ModelSourceError extends Error {
	override readonly name = "ModelSourceError";
}

export interface OpenSource {
	/** Classes known to exist besides those named by documents; may be empty. */
	readonly seeds: readonly string[];
	/**
	 * One class's document by its flat name (`fvTenant`), with retries and fallbacks. Rejects with
	 * the signal's reason when aborted, and with ModelSourceError when the source becomes unusable.
	 */
	fetch(className: string, signal: AbortSignal): Promise<Fetched>;
	/** Cancels in-flight requests. */
	close(): Promise<void>;
}

export interface ModelSource {
	/** @param concurrency requests under way at the same time, 1 to 10 */
	open(origin: ModelOrigin, concurrency: number): Promise<OpenSource>;
}

/** The package and short name of a class: `fv` and `Tenant`; null for an invalid class name. */
export function splitClassName(name: string): readonly [pkg: string, short: string] | null {
	const found = /^([a-z][a-z0-9]*)([A-Z][A-Za-z0-9_]*)$/.exec(name);
	return found === null ? null : [found[1] ?? "", found[2] ?? ""];
}
