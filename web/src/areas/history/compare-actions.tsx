/** The verbs of a comparison: what it shows, how it matches, and where its rows go. */
import { Link } from "@tanstack/react-router";
import type { CompareAnswer } from "@weft/contracts";
import { timeMachineRoutes } from "@weft/contracts/browser";
import {
	ArrowLeftRight,
	ChevronDown,
	ChevronUp,
	ClipboardList,
	EyeOff,
	Filter,
	Fingerprint,
	Tags,
	UserSearch,
} from "lucide-react";
import { useMay } from "../../platform/profile.ts";
import { Button, ButtonLink, IconButton } from "../../ui/button.tsx";
import { joinClasses } from "../../ui/classes.ts";
import { CopyAs } from "../../ui/copy-as.tsx";
import type { Kind, Shown } from "./compare-model.ts";
import { SIGNS } from "./compare-view.tsx";
import { buildCompareOptions, type ComparisonSearch } from "./comparison.ts";
import { ExportMenu } from "./export-menu.tsx";
import type { Sides } from "./sides.ts";

/** The address of the page. */
interface CompareSearch extends ComparisonSearch {
	readonly show?: string | undefined;
	readonly dn?: string | undefined;
}

interface Step {
	readonly isPossible: boolean;
	go(): void;
}

interface ActionsProps {
	readonly answer: CompareAnswer;
	readonly sides: Sides;
	readonly search: CompareSearch;
	readonly shown: Shown;
	/** The only kind that is shown; null: all. */
	readonly kind: Kind | null;
	readonly ignored: ReadonlySet<string>;
	/** Name of exported files, without an ending. */
	readonly file: string;
	/** The changes before and after the current one. */
	readonly steps: { readonly previous: Step; readonly next: Step };
	onSearch(change: CompareSearch): void;
	onIgnore(): void;
}

export function CompareActions(props: ActionsProps) {
	const { answer, sides, search, shown, kind, ignored, file, steps, onSearch, onIgnore } = props;
	const { show, rules, match, reverse } = search;
	const { snapshot_from: a, snapshot_to: b } = answer;
	const may = useMay();
	return (
		<>
			<KindLinks words={sides.words} counts={shown.counts} kind={kind} />
			<IconButton
				label="Previous change"
				keys="p"
				icon={ChevronUp}
				disabled={!steps.previous.isPossible}
				onClick={steps.previous.go}
			/>
			<IconButton
				label="Next change"
				keys="n"
				icon={ChevronDown}
				disabled={!steps.next.isPossible}
				onClick={steps.next.go}
			/>
			<OptionButtons {...{ answer, sides, search, onSearch }} />
			<IconButton label="Attributes that I hide" icon={EyeOff} onClick={onIgnore} />
			<SwapLink {...{ answer, search }} />
			{may("add_automationrequest") && (
				<ButtonLink
					icon={ClipboardList}
					to="/automation/templates"
					search={{ from: a.id, to: b.id, show, rules, match, reverse }}
				>
					Make a request from these rows
				</ButtonLink>
			)}
			<CopyAs
				call={() => ({
					route: timeMachineRoutes.compare,
					body: {
						snapshot_from_id: a.id,
						snapshot_to_id: b.id,
						...buildCompareOptions(search, answer.ignored.identity),
					},
				})}
			/>
			<ExportMenu entries={shown.entries} {...{ answer, ignored, search, file }} />
		</>
	);
}

interface KindLinksProps {
	readonly words: Sides["words"];
	readonly counts: Shown["counts"];
	readonly kind: Kind | null;
}

function KindLinks({ words, counts, kind: current }: KindLinksProps) {
	const total = counts.added + counts.deleted + counts.modified;
	return (
		<nav aria-label="Kinds of changes" className="flex overflow-hidden rounded-control border border-line bg-surface">
			{([null, "added", "deleted", "modified"] as const).map((kind) => (
				<Link
					key={kind ?? "all"}
					from="/time-machine/compare"
					search={(before: Record<string, string | undefined>) => ({ ...before, show: kind ?? undefined })}
					replace
					aria-current={current === kind ? "true" : undefined}
					className={joinClasses(
						"num grid h-7 place-items-center whitespace-nowrap border-line border-l px-2.5 first:border-l-0",
						current === kind ? "bg-accent-soft font-medium text-accent-text" : "hover:bg-sunken",
					)}
				>
					{kind === null ? `All ${total}` : `${SIGNS[kind].sign} ${counts[kind]} ${lowerFirst(words[kind])}`}
				</Link>
			))}
		</nav>
	);
}

/** Choices of a comparison: ignored attributes, the key of objects, and who changed them. */
function OptionButtons({
	answer,
	sides,
	search,
	onSearch,
}: Pick<ActionsProps, "answer" | "sides" | "search" | "onSearch">) {
	const may = useMay();
	const { rules, match, identity, attribution } = search;
	return (
		<>
			<Button
				icon={Filter}
				aria-pressed={rules === "query"}
				title="Leaves out what the query's drift rules ignore."
				onClick={() => onSearch({ rules: rules === "query" ? undefined : "query" })}
			>
				{rules === "query" ? `Hide ignored changes (${answer.ignored.objects})` : "Hide ignored changes"}
			</Button>
			{sides.crosses && (
				<Button
					icon={Tags}
					aria-pressed={match === "name"}
					title="Matches objects without the numbers of nodes and pods."
					onClick={() => onSearch({ match: match === "name" ? undefined : "name", dn: undefined })}
				>
					Match by name
				</Button>
			)}
			{sides.crosses && match !== "name" && (
				<Button
					icon={Fingerprint}
					aria-pressed={identity === "1"}
					title="Compares ids that each fabric hands out on its own, too, such as uid, pcTag and the scope of a VRF."
					onClick={() => onSearch({ identity: identity === "1" ? undefined : "1" })}
				>
					Compare ids
				</Button>
			)}
			{attribution !== "1" && answer.attribution?.complete !== true && !sides.crosses && may("execute_savedquery") && (
				<Button
					icon={UserSearch}
					title="Asks the controller for its records of these changes."
					onClick={() => onSearch({ attribution: "1" })}
				>
					Look up who changed it
				</Button>
			)}
		</>
	);
}

function SwapLink({ answer, search: { reverse } }: Pick<ActionsProps, "answer" | "search">) {
	return (
		<Link
			from="/time-machine/compare"
			search={(before: Record<string, string | undefined>) => ({
				...before,
				from: answer.snapshot_to.id,
				to: answer.snapshot_from.id,
				reverse: reverse === "1" ? undefined : "1",
			})}
			aria-label="Swap sides"
			data-tip="Swap sides"
			className="inline-grid size-7 place-items-center rounded-control border border-line bg-surface hover:bg-sunken"
		>
			<ArrowLeftRight size={15} aria-hidden="true" />
		</Link>
	);
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
