/** Rows as JSON, one page at a time, so that the browser never renders megabytes of text. */
import { pipelineRoutes } from "@weft/contracts/browser";
import { Fragment, useState } from "react";
import { useAnswer } from "../../platform/call.ts";
import { CopyButton } from "../../ui/copy.tsx";
import { Loaded } from "../../ui/page.tsx";
import { Pager } from "../../ui/table.tsx";

const SIZE = 25;

export function JsonView({ jobId, rows }: { jobId: string; rows: number }) {
	const [page, setPage] = useState(1);
	const answer = useAnswer(
		pipelineRoutes.results,
		{ params: { id: jobId }, query: { page: String(page), page_size: String(SIZE) } },
		{ keepPrevious: true, staleTime: Number.POSITIVE_INFINITY },
	);
	return (
		<div className="flex h-full flex-col">
			<div className="min-h-0 flex-1 overflow-auto">
				<Loaded answer={answer} lines={10}>
					{({ results }) => {
						const text = JSON.stringify(results, null, 2);
						return (
							<div className="relative">
								<span className="absolute top-2 right-4">
									<CopyButton text={text} label="Copy this page as JSON">
										Copy
									</CopyButton>
								</span>
								{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
								<pre className="mono m-0 overflow-x-auto px-5 py-3" tabIndex={0}>
									<Highlighted text={text} />
								</pre>
							</div>
						);
					}}
				</Loaded>
			</div>
			<Pager page={page} pageSize={SIZE} count={rows} onPage={setPage} />
		</div>
	);
}

const TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Highlights names and values that are not strings, with few elements. */
function Highlighted({ text }: { text: string }) {
	const parts: { readonly at: number; readonly text: string; readonly look: string | null }[] = [];
	let last = 0;
	for (const match of text.matchAll(TOKEN)) {
		const [whole, colon] = match;
		if (whole.startsWith('"') && colon === undefined) continue;
		parts.push({ at: last, text: text.slice(last, match.index), look: null });
		parts.push({ at: match.index, text: whole, look: colon ? "text-accent-text" : "text-violet" });
		last = match.index + whole.length;
	}
	parts.push({ at: last, text: text.slice(last), look: null });
	return parts.map(({ at, text: part, look }) =>
		look === null ? (
			<Fragment key={at}>{part}</Fragment>
		) : (
			<span key={at} className={look}>
				{part}
			</span>
		),
	);
}
