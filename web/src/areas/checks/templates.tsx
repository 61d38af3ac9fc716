/** The library of checks: what each expects, on which sources, and installing one. */
import { getRouteApi } from "@tanstack/react-router";
import type { CheckTemplate } from "@weft/contracts";
import { checkRoutes, FINDING_SEVERITIES } from "@weft/contracts/browser";
import { BookOpen, LibraryBig, Plus } from "lucide-react";
import { useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useMay } from "../../platform/profile.ts";
import { useSearchState } from "../../platform/search-state.ts";
import { Button } from "../../ui/button.tsx";
import { CopyAs } from "../../ui/copy-as.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { Empty, Loaded, PageHead } from "../../ui/page.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { getDefinition } from "./describe.ts";
import { InstallDialog } from "./install.tsx";
import { formatSeverity, Severity } from "./words.tsx";

const route = getRouteApi("/app/checks/templates");

export function CheckTemplatesPage() {
	const navigate = route.useNavigate();
	const [{ q = "", severity, install }, set] = useSearchState(route.useSearch(), navigate, { replace: true });
	const may = useMay();
	const answer = useAnswer(
		checkRoutes.templates,
		{ query: { page_size: "200" } },
		{ staleTime: Number.POSITIVE_INFINITY },
	);
	const all = answer.data?.results ?? [];
	const found = all.filter(
		(template) => (severity === undefined || template.severity === severity) && isFound(getSearchedText(template), q),
	);
	// Templates that have the words in their name come first.
	const shown = q === "" ? found : [...found].sort((a, b) => Number(isFound(b.name, q)) - Number(isFound(a.name, q)));
	const chosen = all.find(({ key }) => key === install);
	const canInstall = may("add_check") && may("add_savedquery");
	return (
		<>
			<PageHead
				title="Templates of checks"
				name="Templates of checks"
				crumbs={[{ label: "Checks", to: "/checks" }]}
				facts={answer.data && formatPlural(shown.length, "template")}
				actions={
					<>
						<SearchField value={q} label="Filter templates" onChange={(text) => set({ q: text || undefined })} />
						<FilterSelect
							label="Severity"
							any="Any severity"
							value={severity}
							options={[...FINDING_SEVERITIES].reverse().map((value) => ({ value, label: formatSeverity(value) }))}
							onChange={(value) => set({ severity: value })}
						/>
						<CopyAs call={() => ({ route: checkRoutes.templates })} />
					</>
				}
			/>
			<div className="flex flex-col gap-3 px-5 pb-5 max-sm:px-4">
				<Loaded answer={answer} lines={8}>
					{() =>
						shown.length === 0 ? (
							<Empty icon={LibraryBig}>No template matches the filters.</Empty>
						) : (
							<ul aria-label="Templates" className="m-0 grid list-none gap-3 p-0 lg:grid-cols-2 2xl:grid-cols-3">
								{shown.map((template) => (
									<li key={template.key} data-row className="min-w-0">
										<Card
											template={template}
											onInstall={canInstall ? () => set({ install: template.key }) : undefined}
										/>
									</li>
								))}
							</ul>
						)
					}
				</Loaded>
			</div>
			{chosen && canInstall && (
				<InstallDialog
					template={chosen}
					onInstalled={({ id }) => void navigate({ to: "/checks/$id", params: { id } })}
					onClose={() => set({ install: undefined })}
				/>
			)}
		</>
	);
}

/** Classes of the query. */
const listClasses = ({ query }: CheckTemplate): string[] =>
	query.flow_data.nodes.flatMap(({ data }) => {
		const { className } = data as { className?: unknown };
		return typeof className === "string" ? [className] : [];
	});

const getSearchedText = (template: CheckTemplate): string => {
	const { name, finds, description, keywords, sources } = template;
	return [name, finds, description, ...keywords, ...sources, ...listClasses(template)].join(" ");
};

/** Whether every word occurs in the searched text, in any case. */
function isFound(searched: string, words: string): boolean {
	const hay = searched.toLowerCase();
	return words
		.toLowerCase()
		.split(/\s+/)
		.every((word) => hay.includes(word));
}

interface CardProps {
	readonly template: CheckTemplate;
	/** Absent: the caller may not. */
	readonly onInstall: (() => void) | undefined;
}

function Card({ template, onInstall }: CardProps) {
	const { name, finds, description, severity, sources, check } = template;
	return (
		<article className="flex h-full flex-col gap-2 rounded-card border border-line bg-surface p-3">
			<header className="flex items-start gap-2">
				<h2 className="m-0 min-w-0 flex-1 font-semibold text-base">{name}</h2>
				<Severity severity={severity} />
			</header>
			<p className="m-0">
				<span className="text-muted">Finds: </span>
				{finds}
			</p>
			<p className="m-0">{description}</p>
			<p className="m-0 text-muted text-xs" title={getDefinition(check).join(" ")}>
				Reads <code className="mono">{listClasses(template).join(", ")}</code>
			</p>
			<footer className="mt-auto flex items-end gap-3">
				<p className="m-0 flex min-w-0 flex-1 gap-1.5 text-muted text-xs">
					<BookOpen size={13} className="mt-0.5 shrink-0" aria-hidden="true" />
					<span>
						<span className="sr-only">Sources: </span>
						{sources.join("; ")}
					</span>
				</p>
				{onInstall && (
					<Button icon={Plus} aria-label={`Add this check: ${name}`} onClick={onInstall}>
						Add this check
					</Button>
				)}
			</footer>
		</article>
	);
}
