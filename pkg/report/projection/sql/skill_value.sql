round(case
		when {{strategy}} = 'latest' then {{newest earned}} / {{newest weight}}
		when {{strategy}} = 'best' then {{best}}
		when {{strategy}} = 'mean' then {{earned}} / {{weight}}
		else {{faded}} end, 10)
