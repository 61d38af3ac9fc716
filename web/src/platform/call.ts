/** Calls of the API as cached answers and as actions, typed by their contracts. */
import {
	keepPreviousData,
	type QueryKey,
	queryOptions,
	type UseMutationOptions,
	useMutation,
	useQuery,
} from "@tanstack/react-query";
import type { RoutePath } from "@weft/contracts";
import type { Call } from "@weft/sdk";
import { client, queries } from "./weft.ts";

/** What a call answers. */
export type AnswerOf<R extends RoutePath> = Awaited<ReturnType<typeof client.call<R>>>;
type Input<R extends RoutePath> = keyof Call<R> extends never ? undefined : Call<R>;

export function callRoute<R extends RoutePath>(route: R, input?: Input<R>, signal?: AbortSignal): Promise<AnswerOf<R>> {
	const call = client.call as (
		route: R,
		input: unknown,
		options: { signal?: AbortSignal | undefined },
	) => Promise<AnswerOf<R>>;
	return call(route, input, { signal });
}

export function getAnswer<R extends RoutePath>(
	route: R,
	input?: Input<R>,
	through: (call: () => Promise<AnswerOf<R>>) => Promise<AnswerOf<R>> = (call) => call(),
) {
	return queryOptions({
		queryKey: [route.id, ...(input === undefined ? [] : [input])] as QueryKey,
		queryFn: ({ signal }) => through(() => callRoute(route, input, signal)),
	});
}

interface AnswerOptions<Answer> {
	readonly enabled?: boolean;
	/** Milliseconds between looks while the page is visible. */
	readonly every?: number | false;
	readonly staleTime?: number;
	/** Shows the last answer of another input until the new one is there. */
	readonly keepPrevious?: boolean;
	/** Where the answer may have come already: calls only if it has not. */
	readonly through?: (call: () => Promise<Answer>) => Promise<Answer>;
}

export function useAnswer<R extends RoutePath>(route: R, input?: Input<R>, options: AnswerOptions<AnswerOf<R>> = {}) {
	const { every, keepPrevious, through, ...rest } = options;
	return useQuery({
		...getAnswer(route, input, through),
		...rest,
		...(every === undefined ? {} : { refetchInterval: every }),
		...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
	});
}

/** Areas whose answers an action makes old: the part of a route's id before the dot. */
export function invalidateAreas(...areas: string[]): Promise<unknown> {
	return queries.invalidateQueries({
		predicate: ({ queryKey }) => areas.some((area) => String(queryKey[0]).startsWith(`${area}.`)),
	});
}

/** An action: a call that changes something, after which `stale` areas are asked for anew. */
export function useAction<Input, Output>(
	run: (input: Input) => Promise<Output>,
	{
		stale = [],
		...options
	}: Omit<UseMutationOptions<Output, unknown, Input>, "mutationFn"> & { stale?: string[] } = {},
) {
	return useMutation<Output, unknown, Input>({
		...options,
		mutationFn: run,
		async onSuccess(...args) {
			const fresh = invalidateAreas(...stale);
			await options.onSuccess?.(...args);
			await fresh;
		},
	});
}
