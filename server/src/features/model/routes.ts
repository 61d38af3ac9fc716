/**
 * The explorer, its older routes, what users keep beside it, and the tools. Answers about the model
 * carry its ETag and are kept as they are sent.
 */
import { mimClassRoutes, mimPersonalRoutes, mimRoutes, mimToolRoutes } from "@weft/contracts";
import { type BoundRoute, bindAll, buildReply, noContent, type UncheckedRequest } from "../../platform/http/binder.ts";
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
	function getCachedHeads(current: Loaded | null): Heads {
		if (current === null) return noModel;
		const heads = known.get(current) ?? getHeads(current, release);
		known.set(current, heads);
		return heads;
	}

	function buildModelReply(current: Loaded | null, body: Buffer | string, headers: UncheckedRequest["headers"]) {
		const { etag, unchanged, whole } = getCachedHeads(current);
		if (hasEtag(headers["if-none-match"], etag)) return buildReply(304, undefined, { headers: unchanged });
		return { status: 200 as const, body, headers: whole, sendAsIs: true as const };
	}

	/**
	 * An answer that depends on the model and the question alone. `links`: it holds addresses, so the
	 * host is part of the question.
	 */
	function createModelHandler<Input extends UncheckedRequest & { readonly url: string }>(
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
				body = toReplyBody(Buffer.isBuffer(made) ? made : JSON.stringify(made));
				current?.answers.set(key, body);
			}
			return buildModelReply(current, body, input.headers);
		};
		if (links) return work;
		return Object.assign(work, {
			async cached({ path, headers }: UncheckedRequest) {
				const current = await loaded.current();
				const body = current?.answers.get(getKey(path));
				return body === undefined ? undefined : buildModelReply(current, body, headers);
			},
		});
	}

	return [
		...bindAll(mimRoutes, {
			search: createModelHandler("search", (current, { query }) => explorer.search(current, query)),
			tree: createModelHandler("tree", (current, { query }) => explorer.tree(current, query)),
			detail: createModelHandler("detail", (current, { params }) => explorer.detail(current, params.class_name)),
			dnFormats: createModelHandler(
				"dns",
				(current, { params, query, url }) => explorer.dnFormats(current, params.class_name, query, url),
				true,
			),
			insights: createModelHandler("insights", (current, { params }) => explorer.insights(current, params.class_name)),
			relationships: createModelHandler("relationships", (current, { params, query: { offset, limit, inherited } }) =>
				explorer.relationships(current, params.class_name, { offset, limit, inherited }),
			),
			ancestors: createModelHandler("ancestors", (current, { params }) =>
				explorer.ancestors(current, params.class_name),
			),
			stats: createModelHandler("stats", (current) => explorer.stats(current)),
		}),
		...bindAll(mimClassRoutes, {
			list: createModelHandler("list", (current, { query, url }) => explorer.list(current, query, url), true),
			search: createModelHandler("substring", (current, { query }) => explorer.substring(current, query)),
			enhanced: createModelHandler("enhanced", (current, { query }) => explorer.enhanced(current, query)),
			roots: createModelHandler("roots", (current) => explorer.roots(current)),
			suggest: createModelHandler("suggest", (current, { query }) => explorer.suggest(current, query)),
			detail: createModelHandler("detail", (current, { params }) => explorer.detail(current, params.name)),
			hierarchy: createModelHandler("hierarchy", (current, { params, query }) =>
				explorer.hierarchy(current, params.name, query.depth),
			),
			related: createModelHandler("related", (current, { params }) => explorer.related(current, params.name)),
			children: createModelHandler("children", (current, { params, query }) =>
				explorer.children(current, params.parent, query.q),
			),
			packages: createModelHandler("packages", (current) => explorer.packages(current)),
			topPackages: createModelHandler("top", (current, { query }) => explorer.topPackages(current, query.limit)),
		}),
		...bindAll(mimToolRoutes, {
			dn: createModelHandler("dn", (current, { query }) => tools.dn(current, query.dn)),
			path: createModelHandler("path", (current, { query }) => tools.path(current, query)),
			compare: async ({ query, url }) => buildReply(200, await tools.compare(query, url)),
			check: async ({ caller, body }) => buildReply(200, await tools.check(caller, body)),
		}),
		...bindAll(mimPersonalRoutes, {
			favorites: async ({ caller }) => buildReply(200, await personal.favorites(caller)),
			addFavorite: async ({ caller, body }) => {
				const { made, favorite } = await personal.addFavorite(caller, body.class_name);
				return made ? buildReply(201, favorite) : buildReply(200, favorite);
			},
			removeFavorite: async ({ caller, params }) => {
				await personal.removeFavorite(caller, params.id);
				return noContent;
			},
			templates: async ({ caller, query, url }) => buildReply(200, await personal.templates(caller, query, url)),
			createTemplate: async ({ caller, body }) => buildReply(201, await personal.createTemplate(caller, body)),
			template: async ({ caller, params }) => buildReply(200, await personal.template(caller, params.id)),
			replaceTemplate: async ({ caller, params, body }) =>
				buildReply(200, await personal.changeTemplate(caller, params.id, body)),
			updateTemplate: async ({ caller, params, body }) =>
				buildReply(200, await personal.changeTemplate(caller, params.id, body)),
			removeTemplate: async ({ caller, params }) => {
				await personal.removeTemplate(caller, params.id);
				return noContent;
			},
			preferences: async ({ caller, query, url }) => buildReply(200, await personal.preferences(caller, query, url)),
			putPreference: async ({ caller, body }) => {
				const { made, preference } = await personal.putPreference(caller, body);
				return made ? buildReply(201, preference) : buildReply(200, preference);
			},
			preference: async ({ caller, params }) => buildReply(200, await personal.preference(caller, params.id)),
			replacePreference: async ({ caller, params, body }) =>
				buildReply(200, await personal.changePreference(caller, params.id, body)),
			updatePreference: async ({ caller, params, body }) =>
				buildReply(200, await personal.changePreference(caller, params.id, body)),
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
function toReplyBody(made: Buffer | string): Buffer | string {
	if (made.length > SHORT) return typeof made === "string" ? Buffer.from(made) : made;
	return made.toString();
}

function getHeads(current: Loaded | null, release: string): Heads {
	const etag = getTag(current, release);
	const unchanged = { etag, "cache-control": "private, no-cache" };
	return { etag, unchanged, whole: { ...unchanged, "content-type": JSON_TYPE } };
}

/** Whether one of the listed validators is this one; `*` is any (RFC 9110, 13.1.2). */
function hasEtag(header: string | string[] | undefined, etag: string): boolean {
	const listed = Array.isArray(header) ? header.join(",") : header;
	if (listed === undefined) return false;
	return listed.split(",").some((item) => item.trim() === "*" || item.trim().replace(/^W\//, "") === etag);
}
