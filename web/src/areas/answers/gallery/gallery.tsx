/** The gallery: ready questions by category, found in one's own words and run at once. */
import { getRouteApi } from "@tanstack/react-router";
import type { Question } from "@weft/contracts";
import { galleryRoutes } from "@weft/contracts/browser";
import { MessageCircleQuestion, Play } from "lucide-react";
import { useAnswer } from "../../../platform/call.ts";
import { formatPlural } from "../../../platform/format.ts";
import { useMay } from "../../../platform/profile.ts";
import { useSearchState } from "../../../platform/search-state.ts";
import { useTarget } from "../../../platform/target.ts";
import { Button, TextButton } from "../../../ui/button.tsx";
import { CopyAs } from "../../../ui/copy-as.tsx";
import { FilterSelect } from "../../../ui/filter-select.tsx";
import { Empty, Loaded, PageHead } from "../../../ui/page.tsx";
import { SearchField } from "../../../ui/search-field.tsx";
import { QuestionPage } from "./question.tsx";
import { useQuestionRun } from "./use-question-run.ts";

const route = getRouteApi("/app/gallery");

export function GalleryPage() {
	const navigate = route.useNavigate();
	const [search, set] = useSearchState(route.useSearch(), navigate, { replace: false });
	const { q = "", category, key } = search;
	const query = { page_size: "200", ...(q === "" ? {} : { search: q }) };
	const answer = useAnswer(
		galleryRoutes.list,
		{ query: key === undefined ? query : { page_size: "200" } },
		{
			staleTime: Number.POSITIVE_INFINITY,
			keepPrevious: true,
		},
	);
	const all = answer.data?.results ?? [];
	const open = all.find((question) => question.key === key);
	if (open !== undefined) return <QuestionPage key={open.key} question={open} search={search} set={set} />;
	const shown = category === undefined ? all : all.filter(({ categories }) => categories.includes(category));
	return (
		<>
			<PageHead
				title="Gallery"
				crumbs={[{ label: "Library", to: "/library" }]}
				facts={answer.data && formatPlural(shown.length, "question")}
				actions={
					<>
						<SearchField
							value={q}
							label="Search questions"
							onChange={(text) =>
								void navigate({ search: (before) => ({ ...before, q: text || undefined }), replace: true })
							}
						/>
						<FilterSelect
							label="Category"
							any="Any category"
							value={category}
							options={listCategories(all).map((value) => ({ value, label: value }))}
							onChange={(value) => set({ category: value })}
						/>
						<CopyAs call={() => ({ route: galleryRoutes.list, query })} />
					</>
				}
			/>
			<div className="flex flex-col gap-4 px-5 pb-5 max-sm:px-4">
				<Loaded answer={answer} lines={8}>
					{() =>
						shown.length === 0 ? (
							<Empty icon={MessageCircleQuestion}>No question has these words. Try fewer or other ones.</Empty>
						) : (
							listCategories(shown.map(getHeading)).map((heading) => (
								<Category
									key={heading}
									heading={heading}
									questions={shown.filter(({ categories }) => categories[0] === heading)}
									onOpen={(opened, run) => set({ key: opened, run, filter: undefined, sort: undefined })}
								/>
							))
						)
					}
				</Loaded>
			</div>
		</>
	);
}

const getHeading = ({ categories }: Question) => ({ categories: categories.slice(0, 1) });

/** Each category once, in the order of the list. */
const listCategories = (questions: readonly Pick<Question, "categories">[]): string[] => [
	...new Set(questions.flatMap(({ categories }) => categories)),
];

interface CategoryProps {
	readonly heading: string;
	readonly questions: readonly Question[];
	/** Opens a question, with a group run of it where one was started. */
	onOpen(key: string, run?: string): void;
}

function Category({ heading, questions, onOpen }: CategoryProps) {
	return (
		<section aria-label={heading}>
			<h2 className="m-0 mb-2 font-semibold text-base">{heading}</h2>
			<ul className="m-0 grid list-none gap-3 p-0 lg:grid-cols-2 2xl:grid-cols-3">
				{questions.map((question) => (
					<li key={question.key} data-row className="min-w-0">
						<Card question={question} onOpen={onOpen} />
					</li>
				))}
			</ul>
		</section>
	);
}

function Card({ question, onOpen }: { readonly question: Question } & Pick<CategoryProps, "onOpen">) {
	const { key, question: text, description, classes, variables } = question;
	const may = useMay();
	const target = useTarget();
	const run = useQuestionRun(question, (id) => onOpen(key, id));
	const isReady = target !== undefined && variables.every(({ required }) => required !== true);
	return (
		<article className="flex h-full flex-col gap-2 rounded-card border border-line bg-surface p-3">
			<h3 className="m-0 font-semibold text-base">
				<TextButton className="text-left" onClick={() => onOpen(key)}>
					{text}
				</TextButton>
			</h3>
			<p className="m-0">{description}</p>
			<footer className="mt-auto flex items-end gap-3">
				<p className="m-0 min-w-0 flex-1 text-muted">
					Reads <code className="mono break-words">{classes.join(", ")}</code>
				</p>
				{may("execute_savedquery") && (
					<Button
						icon={Play}
						busy={run.isPending}
						onClick={() => (isReady ? run.mutate({ place: `connection ${target.id}`, values: {} }) : onOpen(key))}
					>
						{isReady ? "Run" : "Run …"}
						<span className="sr-only"> {text}</span>
					</Button>
				)}
			</footer>
		</article>
	);
}
