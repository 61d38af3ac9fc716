/** What a request line asks for: `/api/[node/|policymgr/](mo|class)/….(json|xml)?options`. */
import { splitDn } from "../dn.ts";
import { ApiError } from "../errors.ts";
import type { Format } from "../tree.ts";

type Form =
	| { readonly kind: "mo"; readonly dn: string }
	| { readonly kind: "class"; readonly cls: string; readonly within: string | null }
	| { readonly kind: "tag"; readonly tag: string }
	/** The tags of one object; read, it is the object. */
	| { readonly kind: "tags"; readonly dn: string }
	| { readonly kind: "method"; readonly name: string };

export interface Target {
	readonly form: Form;
	readonly format: Format;
	/** The last one of an option that is given several times; lists of classes are joined. */
	readonly params: ReadonlyMap<string, string>;
}

/**
 * @returns `null` for a path that is not the controller's (nginx answers those)
 * @throws ApiError 400 for one that is but makes no sense
 */
export function parseTarget(url: string): Target | null {
	const mark = url.indexOf("?");
	const path = decodePercent(mark < 0 ? url : url.slice(0, mark));
	const params = parseParams(mark < 0 ? "" : url.slice(mark + 1));
	if (!path.startsWith("/api/")) return null;
	const suffix = /\.(json|xml)$/.exec(path);
	if (suffix === null)
		throw new ApiError(400, "Request failed, the format of the answer must be given as .json or .xml");
	const rest = path.slice("/api/".length, suffix.index);
	return { form: parseForm(rest), format: suffix[1] === "xml" ? "xml" : "json", params };
}

function parseForm(rest: string): Form {
	// These prefixes have no effect; the controller's own web interface and old clients use them.
	// Slashes before a DN have none either.
	const text = rest.replace(/^(?:(?:node|policymgr)\/)?(mo|class)(?:\/+|$)/, "$1/");
	// The empty DN is the root of all; clients post whole trees to it.
	if (text === "mo/") return { kind: "mo", dn: "" };
	if (text.startsWith("mo/")) return { kind: "mo", dn: checkDn(text.slice("mo/".length)) };
	if (text.startsWith("class/")) return findClassForm(text.slice("class/".length));
	if (text.startsWith("tag/mo/")) return { kind: "tags", dn: checkDn(text.slice("tag/mo/".length)) };
	if (text.startsWith("tag/")) return { kind: "tag", tag: text.slice("tag/".length) };
	return { kind: "method", name: text };
}

/** `class/fvBD`, or scoped to one node: `class/topology/pod-1/node-101/l1PhysIf`. */
function findClassForm(text: string): Form {
	const end = text.lastIndexOf("/");
	return end < 0
		? { kind: "class", cls: text, within: null }
		: { kind: "class", cls: text.slice(end + 1), within: checkDn(text.slice(0, end)) };
}

function checkDn(dn: string): string {
	const rns = splitDn(dn);
	if (rns === null || rns.length === 0) throw new ApiError(400, `Request failed, the DN ${dn} is invalid`);
	// A prefix without its value, e.g. `tn-`, is an RN of no class.
	const bad = rns.find((rn) => /^[a-zA-Z]+-(\[\])?$/.test(rn));
	if (bad !== undefined) throw new ApiError(104, `Invalid RN ${bad}`);
	return dn;
}

/** Options whose lists some clients send one item at a time. */
const LISTS: ReadonlySet<string> = new Set(["target-subtree-class", "rsp-subtree-class", "rsp-subtree-include"]);

function parseParams(query: string): Map<string, string> {
	const params = new Map<string, string>();
	for (const part of query.split("&")) {
		if (part === "") continue;
		const equals = part.indexOf("=");
		const name = decodePercent(equals < 0 ? part : part.slice(0, equals));
		const value = equals < 0 ? "" : decodePercent(part.slice(equals + 1));
		const before = params.get(name);
		params.set(name, before !== undefined && LISTS.has(name) ? `${before},${value}` : value);
	}
	return params;
}

/** Percent decoding only: a plus sign is a plus sign, as times with an offset need. */
function decodePercent(text: string): string {
	if (!text.includes("%")) return text;
	try {
		return decodeURIComponent(text);
	} catch {
		throw new ApiError(400, "Request failed, the address is not well encoded");
	}
}
