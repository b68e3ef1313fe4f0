[playlist]
File2=b.mp3
Title2=Two
Length2=-1
File1=http://example.org/a?x=1
Title1=One
Artist1=Ann
Length1=61
File01=c
Title3=no file
NumberOfEntries=2
Version=2
