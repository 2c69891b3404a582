round(case {{strategy}}
		when 'latest' then {{newest earned}} / {{newest weight}}
		when 'best' then {{best}}
		when 'mean' then {{earned}} / {{weight}}
		else {{faded}} end, 10)
