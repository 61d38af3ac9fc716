/**
 * Request targets: what the driver refuses to send, how raw characters are encoded, options read
 * and added without touching the others.
 */
import { MAX_CONTROLLER_PATH_BYTES } from "./port.ts";
import { ControllerError } from "./port-error.ts";

const buildPathError = (message: string) => new ControllerError("invalid", message);

/**
 * Makes a request target safe to send: control characters, another host, a fragment and `..` are
 * refused; characters that may not stand in a request line (quotes, spaces, pipes, non-ASCII …) are
 * percent-encoded; existing percent-encodings stay unchanged.
 */
export function requireSafePath(path: string): string {
	if (!path.startsWith("/api/")) throw buildPathError("A controller path starts with /api/.");
	// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not pass
	if (/[\u0000-\u001f\u007f]/.test(path)) throw buildPathError("A controller path holds no control characters.");
	if (path.includes("#")) throw buildPathError("A controller path holds no '#'; inside a value it is written %23.");
	const [place = ""] = path.split("?", 1);
	if (place.includes("\\")) throw buildPathError("A controller path holds no backslash.");
	if (place.split(/\/|%2f/i).some((segment) => /^(\.|%2e){1,2}(;|$)/i.test(segment))) {
		throw buildPathError("A controller path holds no '.' or '..' segments.");
	}
	const encoded = path.replace(/[^!#$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z~]+/gu, (raw) =>
		Buffer.from(raw, "utf8").reduce((text, byte) => `${text}%${byte.toString(16).toUpperCase().padStart(2, "0")}`, ""),
	);
	if (encoded.length > MAX_CONTROLLER_PATH_BYTES) {
		throw new ControllerError(
			"limit",
			`The request line would be ${encoded.length} bytes; controllers refuse more than ` +
				`${MAX_CONTROLLER_PATH_BYTES}. Use fewer values or classes per request.`,
		);
	}
	return encoded;
}

export interface SplitPath {
	readonly place: string;
	/** Options in their order, undecoded. */
	readonly options: readonly (readonly [name: string, value: string])[];
}

export function splitPath(path: string): SplitPath {
	const cut = path.indexOf("?");
	if (cut < 0) return { place: path, options: [] };
	const options = path
		.slice(cut + 1)
		.split("&")
		.filter((part) => part !== "")
		.map((part) => {
			const equals = part.indexOf("=");
			return equals < 0 ? ([part, ""] as const) : ([part.slice(0, equals), part.slice(equals + 1)] as const);
		});
	return { place: path.slice(0, cut), options };
}

export function joinPath({ place, options }: SplitPath): string {
	if (options.length === 0) return place;
	return `${place}?${options.map(([name, value]) => `${name}=${value}`).join("&")}`;
}

/** The decoded values of an option, repeated or comma-separated. */
export function listOptionValues(path: SplitPath, name: string): string[] {
	return path.options
		.filter(([key]) => key === name)
		.flatMap(([, value]) => decodePathText(value).split(","))
		.map((part) => part.trim())
		.filter((part) => part !== "");
}

/** The text itself where its percent-encoding is broken. */
export function decodePathText(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
