/**
 * The first words that names of functions may have: verbs, questions of those that answer yes or
 * no, and what a copy is made to, with or without. A new verb is added here.
 */
const WORDS = `
	abort accept accepts acknowledge activate add admit adopt advance age align allow allows
	annotate announce answer append apply approve are arrange ask assemble assert assign attach
	attempt attribute audit authenticate authorize await back begin begins bind bring build bump
	bundle cache call can cancel canonicalize cap capitalize capture cast change check choose
	chunk claim classify clean clear click clip clone close collect combine compact compare
	compile complete compress compute concat conclude confirm connect consume contains copy
	correct count crawl create creates cut damage deactivate decide declare declares decline
	decode decompress deduplicate define delay delete deliver derive describe destroy detach
	diff digest disable discard discover dispatch distort divide download drag draw drop dump
	duplicate edit emit empty encode end ends enqueue enroll ensure enter enumerate erase escape
	estimate evaluate examine exchange exclude execute exit expand expect explain export extend
	extract fail fetch fill filter find finish fit fits flatten flip floor flush focus fold
	follow forget forgive format free fuzz generate get give go grant group grow guard guess
	handle has hash hasten have head hide hold identify ignore ignores import increment index
	inflate ingest insert inspect install interfere invalidate invite invoke is issue iterate
	join judge keep keeps kill label lacks launch lay learn lease leave limit link list listen
	lists load locate lock log login look looks loop lose lower mail make map mark mask match
	matches may measure memoize merge meter migrate modify mount move mute name needs negate
	nest normalise normalize note notify nudge omit open opens order outline owns pack pad
	paginate paint pair parse partition pass passes paste patch pause peek pick ping pivot place
	plan plant play point poll post postpone precompress preload prepare present preview print
	probe process provision prune publish purge push put qualify query quote rank rate reach
	read reads reauthenticate rebase rebuild recap receive recheck reconcile record redact
	redeem redirects redo refer refresh refuse register reject relate relaunch release relink
	reload remember remove rename render renew repack repair repeat replace replicate report
	request requeue require reschedule reseal resend reserve reset resolve restart restore
	resume retire retry reverse revert revoke rewrite roll round route run sample sanitize save
	say scale scan schedule score seal search seed sees select send separate serialize serve set
	settle shape shorten should show shuffle shut sign simulate singularize sketch skip sleep
	sort spawn spend split spoil stage stand stands start starts step stop store stream strip
	submit subscribe suggest sum summarize supervise survey switch synchronize tag take tell
	terminate test throw to toggle touch trace translate trim truncate try turn type uncount
	undo unlock unmap unpack unwrap update upload upsert use validate verify view visit wait
	wake walk wants warn was watch weigh widen with withdraw without wrap write
`;

export const VERBS: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/));
