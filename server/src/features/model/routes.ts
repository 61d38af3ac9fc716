/**
 * The explorer, its older routes, what users keep beside it, and the tools. Answers about the model
 * carry its ETag and are kept as they are sent.
 */
import { mimClassRoutes, mimPersonalRoutes, mimRoutes, mimToolRoutes } from "@weft/contracts";
import { type BoundRoute, bindAll, noContent, reply, type UncheckedRequest } from "../../platform/http/binder.ts";
import type { Loaded, LoadedModel } from "./loaded.ts";
import type { Explorer } from "./service.ts";
import type { Personal } from "./service-personal.ts";
import { getTag, type Tools } from "./service-tools.ts";

interface Services {
	readonly explorer: Explorer;
	readonly personal: Personal;
	readonly tools: Tools;
	readonly loaded: Pick<LoadedModel, "current">;
	/** Of the service: another one may present the same model in another way. */
	readonly release: string;
}

/** What all answers about one loaded model carry. */
interface Heads {
	readonly etag: string;
	readonly unchanged: { readonly etag: string; readonly "cache-control": string };
	readonly whole: Heads["unchanged"] & { readonly "content-type": string };
}

export function createRoutes({ explorer, personal, tools, loaded, release }: Services): BoundRoute[] {
	const known = new WeakMap<Loaded, Heads>();
	const noModel = getHeads(null, release);
	function heads(current: Loaded | null): Heads {
		if (current === null) return noModel;
		const heads = known.get(current) ?? getHeads(current, release);
		known.set(current, heads);
		return heads;
	}

	function send(current: Loaded | null, body: Buffer | string, headers: UncheckedRequest["headers"]) {
		const { etag, unchanged, whole } = heads(current);
		if (has(headers["if-none-match"], etag)) return reply(304, undefined, { headers: unchanged });
		return { status: 200 as const, body, headers: whole, sendAsIs: true as const };
	}

	/**
	 * An answer that depends on the model and the question alone. `links`: it holds addresses, so the
	 * host is part of the question.
	 */
	function about<Input extends UncheckedRequest & { readonly url: string }>(
		id: string,
		answer: (current: Loaded | null, input: Input) => unknown,
		links = false,
	) {
		const getKey = (question: string): string => `${id} ${question}`;
		const work = async (input: Input) => {
			const current = await loaded.current();
			const key = getKey(links ? input.url : input.path);
			let body = current?.answers.get(key);
			if (body === undefined) {
				const made = answer(current, input);
				body = sendable(Buffer.isBuffer(made) ? made : JSON.stringify(made));
				current?.answers.set(key, body);
			}
			return send(current, body, input.headers);
		};
		if (links) return work;
		return Object.assign(work, {
			async cached({ path, headers }: UncheckedRequest) {
				const current = await loaded.current();
				const body = current?.answers.get(getKey(path));
				return body === undefined ? undefined : send(current, body, headers);
			},
		});
	}

	return [
		...bindAll(mimRoutes, {
			search: about("search", (current, { query }) => explorer.search(current, query)),
			tree: about("tree", (current, { query }) => explorer.tree(current, query)),
			detail: about("detail", (current, { params }) => explorer.detail(current, params.class_name)),
			dnFormats: about(
				"dns",
				(current, { params, query, url }) => explorer.dnFormats(current, params.class_name, query, url),
				true,
			),
			insights: about("insights", (current, { params }) => explorer.insights(current, params.class_name)),
			relationships: about("relationships", (current, { params, query: { offset, limit, inherited } }) =>
				explorer.relationships(current, params.class_name, { offset, limit, inherited }),
			),
			ancestors: about("ancestors", (current, { params }) => explorer.ancestors(current, params.class_name)),
			stats: about("stats", (current) => explorer.stats(current)),
		}),
		...bindAll(mimClassRoutes, {
			list: about("list", (current, { query, url }) => explorer.list(current, query, url), true),
			search: about("substring", (current, { query }) => explorer.substring(current, query)),
			enhanced: about("enhanced", (current, { query }) => explorer.enhanced(current, query)),
			roots: about("roots", (current) => explorer.roots(current)),
			suggest: about("suggest", (current, { query }) => explorer.suggest(current, query)),
			detail: about("detail", (current, { params }) => explorer.detail(current, params.name)),
			hierarchy: about("hierarchy", (current, { params, query }) =>
				explorer.hierarchy(current, params.name, query.depth),
			),
			related: about("related", (current, { params }) => explorer.related(current, params.name)),
			children: about("children", (current, { params, query }) => explorer.children(current, params.parent, query.q)),
			packages: about("packages", (current) => explorer.packages(current)),
			topPackages: about("top", (current, { query }) => explorer.topPackages(current, query.limit)),
		}),
		...bindAll(mimToolRoutes, {
			dn: about("dn", (current, { query }) => tools.dn(current, query.dn)),
			path: about("path", (current, { query }) => tools.path(current, query)),
			compare: async ({ query, url }) => reply(200, await tools.compare(query, url)),
			check: async ({ caller, body }) => reply(200, await tools.check(caller, body)),
		}),
		...bindAll(mimPersonalRoutes, {
			favorites: async ({ caller }) => reply(200, await personal.favorites(caller)),
			addFavorite: async ({ caller, body }) => {
				const { made, favorite } = await personal.addFavorite(caller, body.class_name);
				return made ? reply(201, favorite) : reply(200, favorite);
			},
			removeFavorite: async ({ caller, params }) => {
				await personal.removeFavorite(caller, params.id);
				return noContent;
			},
			templates: async ({ caller, query, url }) => reply(200, await personal.templates(caller, query, url)),
			createTemplate: async ({ caller, body }) => reply(201, await personal.createTemplate(caller, body)),
			template: async ({ caller, params }) => reply(200, await personal.template(caller, params.id)),
			replaceTemplate: async ({ caller, params, body }) =>
				reply(200, await personal.changeTemplate(caller, params.id, body)),
			updateTemplate: async ({ caller, params, body }) =>
				reply(200, await personal.changeTemplate(caller, params.id, body)),
			removeTemplate: async ({ caller, params }) => {
				await personal.removeTemplate(caller, params.id);
				return noContent;
			},
			preferences: async ({ caller, query, url }) => reply(200, await personal.preferences(caller, query, url)),
			putPreference: async ({ caller, body }) => {
				const { made, preference } = await personal.putPreference(caller, body);
				return made ? reply(201, preference) : reply(200, preference);
			},
			preference: async ({ caller, params }) => reply(200, await personal.preference(caller, params.id)),
			replacePreference: async ({ caller, params, body }) =>
				reply(200, await personal.changePreference(caller, params.id, body)),
			updatePreference: async ({ caller, params, body }) =>
				reply(200, await personal.changePreference(caller, params.id, body)),
			removePreference: async ({ caller, params }) => {
				await personal.removePreference(caller, params.id);
				return noContent;
			},
		}),
	];
}

const JSON_TYPE = "application/json; charset=utf-8";
/**
 * Length up to which an answer is kept as text, which leaves in one piece with its head; above,
 * encoding it anew each time would cost more.
 */
const SHORT = 64 * 1024;
function sendable(made: Buffer | string): Buffer | string {
	if (made.length > SHORT) return typeof made === "string" ? Buffer.from(made) : made;
	return made.toString();
}

function getHeads(current: Loaded | null, release: string): Heads {
	const etag = getTag(current, release);
	const unchanged = { etag, "cache-control": "private, no-cache" };
	return { etag, unchanged, whole: { ...unchanged, "content-type": JSON_TYPE } };
}

/** Whether one of the listed validators is this one; `*` is any (RFC 9110, 13.1.2). */
function has(header: string | string[] | undefined, etag: string): boolean {
	const listed = Array.isArray(header) ? header.join(",") : header;
	if (listed === undefined) return false;
	return listed.split(",").some((item) => item.trim() === "*" || item.trim().replace(/^W\//, "") === etag);
}
