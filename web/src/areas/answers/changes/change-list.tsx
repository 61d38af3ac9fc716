/** Entries of the feed in groups; a row leads to the comparison at its object. */
import { Link, useNavigate } from "@tanstack/react-router";
import type { FeedEntry } from "@weft/contracts";
import { Ellipsis } from "lucide-react";
import { useAction } from "../../../platform/call.ts";
import { formatPlural } from "../../../platform/format.ts";
import { useMay, useTimes } from "../../../platform/profile.ts";
import { IconButton } from "../../../ui/button.tsx";
import { Menu } from "../../../ui/menu.tsx";
import { ObjectLink } from "../../../ui/object-link.tsx";
import { Panel } from "../../../ui/page.tsx";
import { Pill } from "../../../ui/pill.tsx";
import { showProblem, showToast } from "../../../ui/toast.tsx";
import { addDriftRule } from "../../history/never-alert.tsx";
import { type ChangeGroup, formatAttributes, listPersons } from "./group-changes.ts";

/** The word of each kind of change. */
export const KINDS = { added: "Added", deleted: "Deleted", modified: "Changed" } as const;
/** The tone of each severity. */
export const TONES = { info: "neutral", warning: "warn", critical: "bad" } as const;
/** Attributes that the menu offers a drift rule for. */
const MOST_RULES = 8;

export function ChangeGroups({ groups }: { readonly groups: readonly ChangeGroup[] }) {
	return groups.map(({ key, title, fabric, changes }) => (
		<Panel
			key={key}
			title={
				fabric === null ? (
					(title ?? "Nobody known")
				) : (
					<span className="block w-0 min-w-full">
						<ObjectLink dn={title ?? ""} connection={changes[0]?.connection.id} />
					</span>
				)
			}
			aside={<span className="text-muted">{fabric === null ? formatPlural(changes.length, "change") : fabric}</span>}
		>
			<ul aria-label={`Changes of ${title ?? "nobody known"}`} className="m-0 list-none p-0">
				{changes.map((change) => (
					<ChangeRow key={change.id} change={change} hasDn={fabric === null} />
				))}
			</ul>
		</Panel>
	));
}

/** @param hasDn whether the row names its object and fabric */
function ChangeRow({ change, hasDn }: { readonly change: FeedEntry; readonly hasDn: boolean }) {
	const times = useTimes();
	const persons = listPersons(change);
	return (
		<li className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-3 py-1 last:border-b-0">
			<span className="w-18 shrink-0 font-medium">{KINDS[change.change]}</span>
			<span className="mono shrink-0 text-muted text-xs">{change.class_name}</span>
			<span className="min-w-40 flex-1">
				{hasDn && <ObjectLink dn={change.dn} connection={change.connection.id} />}
				<span className="mono block truncate text-xs" title={formatAttributes(change)}>
					{formatAttributes(change) || formatPlural(change.attributes.length + change.attributes_omitted, "attribute")}
				</span>
			</span>
			{hasDn && <span className="shrink-0 text-muted">{change.connection.name}</span>}
			<Pill tone={TONES[change.severity]}>{change.severity}</Pill>
			<span className="w-28 truncate text-muted" title={persons.join(", ")}>
				{persons.length > 0 ? persons.join(", ") : "nobody known"}
			</span>
			<span className="num w-24 shrink-0 text-right text-muted" title={times.dateTime(change.at)}>
				{times.relative(change.at)}
			</span>
			<ComparisonLink change={change} />
			<ChangeMenu change={change} />
		</li>
	);
}

type Compared = Pick<FeedEntry, "dn" | "snapshot_id" | "previous_snapshot_id" | "saved_queries">;

/** Leads to the comparison at the object; a word where its snapshots are gone. */
export function ComparisonLink({ change }: { readonly change: Compared }) {
	const { previous_snapshot_id: from, snapshot_id: to, dn, saved_queries } = change;
	if (from === null || to === null) return <span className="w-16 text-muted text-xs">not kept</span>;
	return (
		<Link
			to="/time-machine/compare"
			search={{ from, to, dn, query: saved_queries[0]?.id, rules: "query" }}
			aria-label={`Compare ${dn}`}
			className="w-16 rounded-cell font-medium text-accent-text hover:underline"
		>
			Compare
		</Link>
	);
}

function ChangeMenu({ change }: { readonly change: FeedEntry }) {
	const navigate = useNavigate();
	const may = useMay();
	const { class_name: name, attributes, previous_snapshot_id: from, snapshot_id: to } = change;
	const rules = useAction(
		(ignored: string) =>
			addDriftRule(
				change.saved_queries.map(({ id }) => id),
				ignored,
			),
		{
			stale: ["saved_queries"],
			onSuccess: (_, ignored) => showToast(`${ignored} is ignored from the next snapshot on.`),
			onError: (error) => showProblem(error),
		},
	);
	const ignorable = change.change === "modified" && name !== null ? attributes.slice(0, MOST_RULES) : [];
	const groups = [
		may("change_savedquery")
			? ignorable.map((attribute) => ({
					label: `Make a drift rule: ignore ${name}.${attribute.name}`,
					run: () => rules.mutate(`${name}.${attribute.name}`),
				}))
			: [],
		may("add_automationrequest") && from !== null && to !== null
			? [
					{
						label: "Make a request from these rows",
						run: () => void navigate({ to: "/automation/templates", search: { from, to, rules: "query" } }),
					},
				]
			: [],
	].filter((group) => group.length > 0);
	if (groups.length === 0) return null;
	return (
		<Menu trigger={<IconButton variant="ghost" label={`More for ${change.dn}`} icon={Ellipsis} />} groups={groups} />
	);
}
