/**
 * Answers about the model. They carry its ETag, and are kept as they are sent beside the model that
 * they are about.
 */
import type { Context } from "../../context.ts";
import { buildReply, type UncheckedRequest } from "../../core/http/binder.ts";
import { hasEtag } from "../../core/http/etag.ts";
import { getTag } from "./compare-model-versions.ts";
import type { Loaded } from "./loaded.ts";

/** The headers of all answers about one loaded model. */
interface Heads {
	readonly etag: string;
	readonly unchanged: { readonly etag: string; readonly "cache-control": string };
	readonly whole: Heads["unchanged"] & { readonly "content-type": string };
}

/** Returns the function that makes the handlers of answers which depend on the model. */
export function createModelAnswers(ctx: Context) {
	const known = new WeakMap<Loaded, Heads>();
	const noModel = getHeads(null, ctx.version);
	function getCachedHeads(current: Loaded | null): Heads {
		if (current === null) return noModel;
		const heads = known.get(current) ?? getHeads(current, ctx.version);
		known.set(current, heads);
		return heads;
	}

	function buildModelReply(current: Loaded | null, body: Buffer | string, headers: UncheckedRequest["headers"]) {
		const { etag, unchanged, whole } = getCachedHeads(current);
		if (hasEtag(headers["if-none-match"], etag)) return buildReply(304, undefined, { headers: unchanged });
		return { status: 200 as const, body, headers: whole, sendAsIs: true as const };
	}

	/**
	 * An answer that depends on the model and the question alone. `hasLinks`: it holds addresses, so
	 * the host is part of the question.
	 */
	function createModelHandler<Input extends UncheckedRequest & { readonly url: string }>(
		id: string,
		answer: (current: Loaded | null, input: Input) => unknown,
		hasLinks = false,
	) {
		const getKey = (question: string): string => `${id} ${question}`;
		const work = async (input: Input) => {
			const current = await ctx.areas.model.loaded.current();
			const key = getKey(hasLinks ? input.url : input.path);
			let body = current?.answers.get(key);
			if (body === undefined) {
				const made = answer(current, input);
				body = toReplyBody(Buffer.isBuffer(made) ? made : JSON.stringify(made));
				current?.answers.set(key, body);
			}
			return buildModelReply(current, body, input.headers);
		};
		if (hasLinks) return work;
		return Object.assign(work, {
			async cached({ path, headers }: UncheckedRequest) {
				const current = await ctx.areas.model.loaded.current();
				const body = current?.answers.get(getKey(path));
				return body === undefined ? undefined : buildModelReply(current, body, headers);
			},
		});
	}

	return createModelHandler;
}

const JSON_TYPE = "application/json; charset=utf-8";
/**
 * Longest body that is cached as text, in characters. A text is sent in one write with its headers;
 * a longer body is cached as bytes, so that it is encoded once.
 */
const MAX_TEXT_LENGTH = 64 * 1024;
function toReplyBody(made: Buffer | string): Buffer | string {
	if (made.length > MAX_TEXT_LENGTH) return typeof made === "string" ? Buffer.from(made) : made;
	return made.toString();
}

function getHeads(current: Loaded | null, release: string): Heads {
	const etag = getTag(current, release);
	const unchanged = { etag, "cache-control": "private, no-cache" };
	return { etag, unchanged, whole: { ...unchanged, "content-type": JSON_TYPE } };
}
