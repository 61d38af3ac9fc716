/** What a check would find in the rows of the latest runs, before it is saved. */
import type { CheckPreviewAnswer } from "@weft/contracts";
import { Eye } from "lucide-react";
import { useState } from "react";
import { formatPlural } from "../../platform/format.ts";
import { Button } from "../../ui/button.tsx";
import { joinClasses } from "../../ui/classes.ts";
import { Banner, Empty, Panel } from "../../ui/page.tsx";
import { Amount, computeGridHeight, SampleGrid } from "./evidence.tsx";
import { CheckState, formatConnectionName } from "./words.tsx";

type Result = CheckPreviewAnswer["results"][number];

interface PreviewProps {
	readonly answer: CheckPreviewAnswer | undefined;
	/** Another one is another answer. */
	readonly number: number;
	/** Whether the definition has changed since. */
	readonly isOld: boolean;
	readonly busy: boolean;
	/** Why there can be none. */
	readonly refusal: string | null;
	onPreview(): void;
}

export function Preview({ answer, number, isOld, busy, refusal, onPreview }: PreviewProps) {
	return (
		<Panel
			title="Preview"
			aside={
				refusal === null && (
					<Button icon={Eye} busy={busy} onClick={onPreview}>
						Preview
					</Button>
				)
			}
		>
			<div aria-live="polite">
				{refusal !== null ? (
					<Empty>{refusal}</Empty>
				) : answer === undefined ? (
					<Empty icon={Eye}>Evaluates the check on the rows of the latest runs, and stores nothing.</Empty>
				) : (
					<>
						{isOld && (
							<div className="p-2">
								<Banner tone="warn" title="The definition has changed since this preview." />
							</div>
						)}
						<Results key={number} results={answer.results} number={number} />
					</>
				)}
			</div>
		</Panel>
	);
}

function Results({ results, number }: { results: readonly Result[]; number: number }) {
	const worst = results.find(({ violations }) => violations > 0) ?? results[0];
	const [shown, setShown] = useState(worst);
	if (shown === undefined) {
		return <Empty>The query has not run on these fabrics yet. Run it first: the preview looks at its rows.</Empty>;
	}
	return (
		<>
			<ul aria-label="Results by fabric" className="m-0 list-none p-0">
				{results.map((result) => (
					<li key={getKey(result)} className="border-line border-b last:border-b-0">
						<button
							type="button"
							aria-pressed={result === shown}
							className={joinClasses(
								"flex w-full flex-wrap items-center gap-2 px-3 py-1.5 text-left hover:bg-sunken",
								result === shown && results.length > 1 && "bg-accent-soft",
							)}
							onClick={() => setShown(result)}
						>
							<span className="min-w-0 flex-1 truncate font-medium">{formatConnectionName(result)}</span>
							<CheckState state={result.state} />
							<span className="num text-muted">{formatPlural(result.violations, "violation")}</span>
						</button>
					</li>
				))}
			</ul>
			<div className="border-line border-t">
				<Found key={getKey(shown)} result={shown} number={number} />
			</div>
		</>
	);
}

const getKey = ({ controller_connection_id }: Result): string => controller_connection_id ?? "all";

function Found({ result, number }: { result: Result; number: number }) {
	const [filter, setFilter] = useState<string | undefined>();
	const [sort, setSort] = useState<string | undefined>();
	const [group, setGroup] = useState<string | undefined>();
	const { error, violations, sample } = result;
	if (error !== null) {
		return (
			<div className="p-2">
				<Banner tone="bad" title="The check cannot be evaluated." detail={error} />
			</div>
		);
	}
	if (violations === 0) return <Empty>The latest run meets the check.</Empty>;
	return (
		<>
			<p className="m-0 px-3 pt-2 text-right">
				<Amount shown={sample.length} all={violations} />
			</p>
			<div style={{ height: computeGridHeight(sample.length) }}>
				<SampleGrid
					source={`preview ${number} ${getKey(result)}`}
					scope="check preview"
					name="check-preview"
					connection={null}
					sample={sample}
					filter={filter ?? ""}
					sort={sort}
					group={group}
					onFilter={setFilter}
					onSort={setSort}
					onGroup={setGroup}
				/>
			</div>
		</>
	);
}
