/**
 * The driver for the class documents of Cisco ACI (`jsonmeta`): the maker's publishing site, a
 * folder, or a controller's own. Addresses:
 * `{base}/media/model-doc-{key}/docs/doc/jsonmeta/{pkg}/{Class}.json`, and
 * `/doc/jsonmeta/{pkg}/{Class}.json` on a controller.
 */
import { setMaxListeners } from "node:events";
import type { OutgoingTargets } from "../../core/system/outgoing.ts";
import type { OutgoingProxy } from "../../core/system/outgoing-proxy.ts";
import { buildAddressRefusedError } from "../apic/transport-error.ts";
import { createAttempts, type Pacing, type Place } from "./attempts.ts";
import { type Cookies, createLogin } from "./controller-login.ts";
import { openFolder } from "./folder.ts";
import type { Http } from "./http.ts";
import { type ModelSource, ModelSourceError, type OpenSource, splitClassName } from "./port.ts";

interface ModelSourceParts {
	readonly pacing: Pacing;
	readonly retries?: number;
	readonly waitMs?: number;
	readonly timeoutMs?: number;
	/** Addresses of controllers that may be connected to; every address where it is absent. */
	readonly targets?: OutgoingTargets;
	/** The web proxy to the publishing site; controllers are asked directly. */
	readonly proxy?: OutgoingProxy | null;
}

const RETRIES = 5;
const WAIT_MS = 500;
const TIMEOUT_MS = 60_000;
/** The name of the only version that a controller has. */
const OWN = "controller";

export function createModelSource(deps: ModelSourceParts): ModelSource {
	const { pacing, retries = RETRIES, waitMs = WAIT_MS, timeoutMs = TIMEOUT_MS } = deps;

	/** @param listPlaces the places of a document, in the order in which they are tried */
	function overHttp(
		https: readonly Http[],
		listPlaces: (pkg: string, short: string) => Place[],
		cookie: Cookies | null,
	): OpenSource {
		const attempt = createAttempts({ pacing, retries, waitMs, cookie });
		const closing = new AbortController();
		/**
		 * Of each caller's signal the one that also ends with the source: a crawl gives the same one
		 * for all of its classes.
		 */
		const endings = new WeakMap<AbortSignal, AbortSignal>();
		function limitDuration(signal: AbortSignal): AbortSignal {
			const known = endings.get(signal);
			if (known !== undefined) return known;
			const ending = AbortSignal.any([signal, closing.signal]);
			// Every request under way listens to it.
			setMaxListeners(0, ending);
			endings.set(signal, ending);
			return ending;
		}
		return {
			seeds: [],
			async fetch(className, signal) {
				const parts = splitClassName(className);
				if (parts === null) return { kind: "missing", attempted: [], status: null, retries: 0 };
				return attempt(listPlaces(...parts), limitDuration(signal));
			},
			async close() {
				closing.abort();
				await Promise.all(https.map((http) => http.close()));
			},
		};
	}

	return {
		async open(origin, concurrency) {
			if (origin.kind === "folder") return openFolder(origin.path, origin.chain);
			const { createHttp } = await import("./http.ts");
			const options = { sockets: concurrency, timeoutMs };
			if (origin.kind === "controller") {
				const { target } = origin;
				const refused = deps.targets?.refusedHost(target.url) ?? null;
				if (refused !== null) throw new ModelSourceError(buildAddressRefusedError(refused));
				const { url, verifyTls } = target;
				const http = createHttp({ ...options, url, verifyTls, lookup: deps.targets?.lookup, proxy: null });
				const login = createLogin(http, target, pacing);
				const place = (pkg: string, short: string) => ({ key: OWN, path: `/doc/jsonmeta/${pkg}/${short}.json`, http });
				return overHttp([http], (pkg, short) => [place(pkg, short)], login);
			}
			const sites = new Map<string, Http>();
			for (const { url } of origin.chain) {
				if (!sites.has(url))
					sites.set(url, createHttp({ ...options, url, verifyTls: true, proxy: deps.proxy ?? null }));
			}
			const listPlaces = (pkg: string, short: string) =>
				origin.chain.flatMap(({ key, url }) => {
					const http = sites.get(url);
					const path = `/media/model-doc-${key}/docs/doc/jsonmeta/${pkg}/${short}.json`;
					return http === undefined ? [] : [{ key, path, http }];
				});
			return overHttp([...sites.values()], listPlaces, null);
		},
	};
}
