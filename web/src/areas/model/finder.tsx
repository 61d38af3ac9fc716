/** Search results in the model: classes, properties, packages; or the classes of one package. */
import { Link } from "@tanstack/react-router";
import type { SearchHit } from "@weft/contracts";
import { mimClassRoutes, mimRoutes } from "@weft/contracts/browser";
import { SearchX } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { handleRowKeys } from "../../platform/row-keys.ts";
import { joinClasses } from "../../ui/classes.ts";
import { Empty, Loaded } from "../../ui/page.tsx";

const HIT_TYPES = ["class", "property", "package"] as const;
type HitType = (typeof HIT_TYPES)[number];
const NAMES: Readonly<Record<HitType, string>> = { class: "Classes", property: "Properties", package: "Packages" };
const FOUND_MAX = "50";
const PACKAGE_MAX = "200";

const isType = (text: string | undefined): text is HitType => HIT_TYPES.some((type) => type === text);

interface FoundProps {
	readonly q: string;
	readonly type: string | undefined;
	/** Opens the first result as soon as the results are there. */
	readonly openFirst: boolean;
	onOpened(): void;
}

export function Found({ q, type, openFirst, onOpened }: FoundProps) {
	const list = useRef<HTMLUListElement>(null);

	const answer = useAnswer(
		mimRoutes.search,
		{ query: { q, limit: FOUND_MAX, ...(isType(type) ? { type } : {}) } },
		{ keepPrevious: true },
	);
	const isCurrent = answer.data !== undefined && !answer.isPlaceholderData;
	useEffect(() => {
		if (!openFirst || !isCurrent) return;
		list.current?.querySelector("a")?.click();
		onOpened();
	}, [openFirst, isCurrent, onOpened]);
	return (
		<>
			<nav aria-label="Kinds of results" className="flex flex-wrap gap-1 border-line border-b px-2 py-1.5">
				{[undefined, ...HIT_TYPES].map((each) => (
					<Link
						key={each ?? "all"}
						from="/model"
						to="."
						search={(search: Record<string, string | undefined>) => ({ ...search, type: each })}
						aria-current={each === type ? "true" : undefined}
						className={joinClasses(
							"grid h-6 place-items-center rounded-full px-2 text-xs",
							each === type ? "bg-accent-soft font-medium text-accent-text" : "text-muted hover:bg-sunken",
						)}
					>
						{each === undefined ? "All" : NAMES[each]}
					</Link>
				))}
			</nav>
			<div className="min-h-0 flex-1 overflow-y-auto">
				<Loaded answer={answer} lines={8}>
					{({ results }) =>
						results.length === 0 ? (
							<Empty icon={SearchX}>No name, label or description in the model matches.</Empty>
						) : (
							<ul ref={list} aria-label="Found" className="m-0 list-none p-1" onKeyDown={handleRowKeys}>
								{results.map((hit) => (
									<Hit key={`${hit.type}:${hit.class ?? ""}:${hit.name}`} hit={hit} />
								))}
							</ul>
						)
					}
				</Loaded>
			</div>
		</>
	);
}

const ENTRY = "block rounded-cell px-2 py-1 hover:bg-sunken";

function Hit({ hit }: { hit: SearchHit }) {
	const { type, name, display_name: label, class: owner } = hit;
	const lines = (
		<>
			<span className="flex items-baseline gap-2">
				<span className="mono truncate">{type === "property" ? `${owner}.${name}` : name}</span>
				<span className="ml-auto shrink-0 text-2xs text-muted">{type}</span>
			</span>
			{(label || hit.description) && (
				<span className="block truncate text-muted text-xs">{label || hit.description}</span>
			)}
		</>
	);
	if (type === "package") {
		return (
			<li data-row>
				<Link to="/model" search={{ package: name }} className={ENTRY}>
					{lines}
				</Link>
			</li>
		);
	}
	const property = type === "property" ? name : undefined;
	return (
		<li data-row>
			<ClassLink name={owner ?? name} property={property} className={ENTRY}>
				{lines}
			</ClassLink>
		</li>
	);
}

export function PackageClasses({ name, current }: { name: string; current: string | undefined }) {
	const answer = useAnswer(mimClassRoutes.list, { query: { package: name, page_size: PACKAGE_MAX } });
	return (
		<>
			<div className="flex items-center gap-2 border-line border-b px-3 py-1.5">
				<span className="min-w-0 flex-1 truncate">
					Package <span className="mono">{name}</span>
					{answer.data && <span className="text-muted">, {formatPlural(answer.data.count, "class", "classes")}</span>}
				</span>
				<Link to="/model" className="rounded-cell font-medium text-accent-text hover:underline">
					Tree
				</Link>
			</div>
			<div className="min-h-0 flex-1 overflow-y-auto">
				<Loaded answer={answer} lines={8}>
					{({ results, count }) => (
						<>
							<ul aria-label={`Classes of ${name}`} className="m-0 list-none p-1" onKeyDown={handleRowKeys}>
								{results.map(({ name: each, display_name }) => (
									<li key={each} data-row>
										<ClassLink
											name={each}
											className={joinClasses(ENTRY, each === current && "bg-accent-soft font-medium text-accent-text")}
										>
											<span className="mono">{each}</span> <span className="text-muted text-xs">{display_name}</span>
										</ClassLink>
									</li>
								))}
							</ul>
							{count > results.length && (
								<p className="m-0 px-3 pb-2 text-muted text-xs">
									The first {results.length} of {count}. Search for the others.
								</p>
							)}
						</>
					)}
				</Loaded>
			</div>
		</>
	);
}

interface ClassLinkProps {
	readonly name: string;
	/** Shows the properties that hold this text. */
	readonly property?: string | undefined;
	readonly className?: string;
	readonly children?: ReactNode;
}

/** Links to a class and keeps the search text. */
export function ClassLink({ name, property, className, children }: ClassLinkProps) {
	return (
		<Link
			to="/model/$name"
			params={{ name }}
			search={({ q, type, package: pkg }: Record<string, string | undefined>) => ({
				q,
				type,
				package: pkg,
				...(property === undefined ? {} : { p: property }),
			})}
			className={className ?? "mono rounded-cell text-accent-text hover:underline"}
		>
			{children ?? name}
		</Link>
	);
}
