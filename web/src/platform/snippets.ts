/** An API call as curl, Python or Ansible code. The token is left for the reader to fill in. */
import type { RoutePath } from "@weft/contracts";
import { getPath } from "@weft/sdk";

export interface ApiCall {
	readonly route: Pick<RoutePath, "method" | "path" | "auth">;
	readonly params?: Readonly<Record<string, string>>;
	readonly query?: Readonly<Record<string, string>>;
	readonly body?: unknown;
}

/** For a POSIX shell. */
export function formatCurl({ route, params, query, body }: ApiCall, baseUrl: string): string {
	const lines = [
		`curl -s ${route.method === "GET" ? "" : `-X ${route.method} `}${quoteShell(baseUrl + getPath(route.path, params, query))}`,
	];
	if (route.auth === "bearer") lines.push('-H "authorization: Bearer $TOKEN"');
	if (body !== undefined) lines.push("-H 'content-type: application/json'", `-d ${quoteShell(JSON.stringify(body))}`);
	return lines.join(" \\\n  ");
}

/** With the standard library only. */
export function formatPython({ route, params, query, body }: ApiCall, baseUrl: string): string {
	const headers = [
		...(route.auth === "bearer" ? ['"Authorization": "Bearer " + os.environ["TOKEN"]'] : []),
		...(body === undefined ? [] : ['"Content-Type": "application/json"']),
	];
	return [
		"import json, os, urllib.request",
		"",
		"request = urllib.request.Request(",
		`    ${JSON.stringify(baseUrl + getPath(route.path, params, query))},`,
		`    method=${JSON.stringify(route.method)},`,
		`    headers={${headers.join(", ")}},`,
		...(body === undefined ? [] : [`    data=json.dumps(json.loads(${quotePython(JSON.stringify(body))})).encode(),`]),
		")",
		"with urllib.request.urlopen(request) as answer:",
		"    print(json.load(answer))",
	].join("\n");
}

/** A word of a POSIX shell. */
export const quoteShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** JSON text as a Python string literal: escapes are equal, but names of true and null differ. */
const quotePython = (json: string): string => JSON.stringify(json);
