/**
 * Signing in with the browser: OpenID Connect for programs on the user's computer (RFC 8252). The
 * code comes to a port that only this computer reaches, and is of use only with the verifier of
 * this process (RFC 7636).
 */
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { formatTerminalCode, OIDC_PROBLEMS, oidcRoutes } from "@weft/contracts/browser";
import { getPath } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { CliError, EXIT } from "../../errors.ts";

/** A sign-in that was begun is of use for this long, in milliseconds. */
const PATIENCE_MS = 600_000;

interface BrowserCode {
	readonly code: string;
	readonly verifier: string;
}

/** @throws CliError if the sign-in fails, or is not finished in time */
export async function requestCodeFromBrowser({ clock, input }: Context, url: string): Promise<BrowserCode> {
	const verifier = randomBytes(32).toString("base64url");
	const code_challenge = createHash("sha256").update(verifier).digest("base64url");
	// Other pages of the browser can reach the port, and do not know the path.
	const path = `/${randomBytes(16).toString("base64url")}`;
	const server = createServer();
	const answered = new Promise<URLSearchParams>((resolve) => {
		server.on("request", ({ method, url: target = "" }, response) => {
			const at = target.indexOf("?");
			const isOurs = method === "GET" && target.slice(0, Math.max(at, 0)) === path;
			const search = new URLSearchParams(target.slice(at));
			sendPage(response, isOurs, search.has("code"));
			if (isOurs) response.once("close", () => resolve(search));
		});
	});
	const late = new AbortController();
	try {
		await once(server.listen(0, "127.0.0.1"), "listening");
		const redirect_uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
		await input.openPage(
			url + getPath(oidcRoutes.start.path, {}, { redirect_uri, code_challenge }),
			`The page then shows the code ${formatTerminalCode(code_challenge)}. Cancel there if it shows another one.`,
		);
		const search = await Promise.race([answered, clock.sleep(PATIENCE_MS, late.signal)]);
		if (search === undefined)
			throw new CliError(EXIT.notAllowed, "The sign-in was not finished within 10 minutes. Run the command again.");
		const code = search.get("code");
		if (code === null) throw new CliError(EXIT.notAllowed, findProblem(search.get("error") ?? ""));
		return { code, verifier };
	} finally {
		late.abort();
		server.close();
		server.closeAllConnections();
	}
}

const findProblem = (word: string): string =>
	new Map(Object.entries(OIDC_PROBLEMS)).get(word) ?? "The sign-in at the identity provider failed.";

function sendPage(response: ServerResponse, isOurs: boolean, hasCode: boolean): void {
	const text = hasCode
		? "Go back to the terminal. You can close this page."
		: "The terminal says why you are not signed in.";
	response
		.writeHead(isOurs ? 200 : 404, {
			"content-type": "text/html; charset=utf-8",
			"content-security-policy": "default-src 'none'",
			"cache-control": "no-store",
			"referrer-policy": "no-referrer",
			connection: "close",
		})
		.end(isOurs ? `<!doctype html><title>Weft</title><p>${text}</p>\n` : "");
}
